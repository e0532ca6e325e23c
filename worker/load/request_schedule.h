// When a client of request/response starts its next transaction: at once, or at a rate as the Pacer says.
// What the Pacer gives up is told to the record of transactions. Pure; used by the stream's thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "worker/load/pacer.h"
#include "worker/load/stream_config.h"
#include "worker/load/transaction_record.h"

namespace tutti::load {

class RequestSchedule {
 public:
  explicit RequestSchedule(const StreamConfig& config) {
    if (!config.rate_bps) return;
    pacer_.emplace(*config.rate_bps, config.message_size_bytes, config.pacing);
    gap_ns_ = static_cast<double>(config.message_size_bytes) * 8e9 / static_cast<double>(*config.rate_bps);
  }

  bool paced() const { return pacer_.has_value(); }

  // When the next one is due; `now_ns`, which does not step back, without a rate.
  int64_t NextDueNs(int64_t now_ns, TransactionRecord& record) {
    if (!pacer_) return now_ns;
    const int64_t due_ns = pacer_->NextDueNs(now_ns);
    if (due_ns > due_ns_) [[unlikely]] {
      const double given_up = static_cast<double>(due_ns - due_ns_) / gap_ns_;
      record.GivenUp(now_ns, due_ns_, gap_ns_, static_cast<uint64_t>(std::llround(given_up)));
      due_ns_ = due_ns;
    }
    return due_ns;
  }

  // The one that was due has started at `now_ns`.
  void Started(int64_t now_ns) {
    if (!pacer_) return;
    pacer_->Sent();
    due_ns_ = pacer_->NextDueNs(now_ns);
  }

 private:
  std::optional<Pacer> pacer_;
  double gap_ns_ = 0;
  int64_t due_ns_ = 0;  // of the next, unless it is given up
};

}  // namespace tutti::load
