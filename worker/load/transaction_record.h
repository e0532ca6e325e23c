// What a client of request/response learns of its transactions: the latencies of those that were completed in
// the window.
//
// All instants are trial time, which is this host's own clock: latencies are never a difference of two hosts'
// clocks. Trial time that follows a new fit runs at most 0.05% fast or slow (SlewedMapping), well inside a
// bucket. Used by the stream's thread; nothing is allocated after construction.
#pragma once

#include <cstdint>
#include <memory>

#include "common/stats/latency_histogram.h"
#include "worker/load/load_trial.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

class TransactionRecord {
 public:
  // `paced`: transactions are due at a rate.
  TransactionRecord(const WindowGrid& grid, bool paced);

  // A response is complete at `now_ns`; its request was given to the kernel at `sent_ns` and was due at
  // `due_ns`, which is earlier where the client was held up. Without a rate `due_ns` is of no meaning.
  void Completed(int64_t now_ns, int64_t sent_ns, int64_t due_ns) {
    if (now_ns < begin_ns_ || now_ns >= end_ns_) return;
    latency_->Record(now_ns - sent_ns);
    if (corrected_) corrected_->Record(now_ns - due_ns);
  }

  // `count` transactions, due from `first_due_ns` on every `gap_ns`, are given up at `now_ns`: the client was
  // held up for longer than it catches up. Whoever had sent them would have waited until now at least, and
  // with that they count in the corrected latency: a client that waits for its server leaves out just the
  // transactions that would have been slow (Gil Tene's "coordinated omission").
  void GivenUp(int64_t now_ns, int64_t first_due_ns, double gap_ns, uint64_t count);

  void WriteTo(StreamReport& report) const;

 private:
  const int64_t begin_ns_;
  const int64_t end_ns_;
  std::shared_ptr<LatencyHistogram> latency_;
  std::shared_ptr<LatencyHistogram> corrected_;  // null without a rate
};

}  // namespace tutti::load
