#include "worker/load/transaction_record.h"

#include <algorithm>

namespace tutti::load {
namespace {

// More are counted in so many equal groups, each with the wait of its middle: a thousandth of the longest.
constexpr uint64_t kMostGroups = 1000;

}  // namespace

TransactionRecord::TransactionRecord(const WindowGrid& grid, bool paced)
    : begin_ns_(grid.window_begin_ns()),
      end_ns_(grid.window_end_ns()),
      latency_(std::make_shared<LatencyHistogram>()) {
  if (paced) corrected_ = std::make_shared<LatencyHistogram>();
}

void TransactionRecord::GivenUp(int64_t now_ns, int64_t first_due_ns, double gap_ns, uint64_t count) {
  if (!corrected_ || now_ns < begin_ns_ || now_ns >= end_ns_) return;
  const uint64_t groups = std::min(count, kMostGroups);
  uint64_t counted = 0;
  for (uint64_t group = 0; group < groups; ++group) {
    const uint64_t until =
        static_cast<uint64_t>(static_cast<unsigned __int128>(count) * (group + 1) / groups);
    const double middle = static_cast<double>(counted + until - 1) / 2;
    const int64_t due_ns = first_due_ns + static_cast<int64_t>(middle * gap_ns);
    corrected_->RecordTimes(now_ns - due_ns, until - counted);
    counted = until;
  }
}

void TransactionRecord::WriteTo(StreamReport& report) const {
  report.latency = latency_;
  report.corrected_latency = corrected_;
}

}  // namespace tutti::load
