#include "common/time/realtime_conversion.h"

#include <algorithm>

namespace tutti {
namespace {

constexpr int kBracketsPerRead = 5;

}  // namespace

ClockBracket SystemBracketReader::Read() const {
  ClockBracket narrowest;
  int64_t least_ns = INT64_MAX;
  const SystemClock& clock = SystemClock::Get();
  HostTime before = clock.Now();
  for (int i = 0; i < kBracketsPerRead; ++i) {
    const int64_t realtime_ns = UnixNowNs();
    const HostTime after = clock.Now();
    if (after - before < least_ns) {
      least_ns = after - before;
      narrowest = {before, realtime_ns, after};
    }
    before = after;
  }
  return narrowest;
}

const SystemBracketReader& SystemBracketReader::Get() {
  static const SystemBracketReader reader;
  return reader;
}

RealtimeConversion::Difference RealtimeConversion::Common() const {
  Difference common = brackets_[0];
  for (size_t i = 1; i < std::min(taken_, kRemembered); ++i) {
    common.low_ns = std::max(common.low_ns, brackets_[i].low_ns);
    common.high_ns = std::min(common.high_ns, brackets_[i].high_ns);
  }
  return common;
}

void RealtimeConversion::Take(const ClockBracket& bracket) {
  // 1 ns on each side: each clock shows its last full ns.
  const Difference difference{bracket.realtime_ns - bracket.after.ns - 1,
                              bracket.realtime_ns - bracket.before.ns + 1};
  moved_ = taken_ > 0 && (difference.low_ns > common_.high_ns || difference.high_ns < common_.low_ns);
  if (moved_) {
    ++steps_;
    former_ = Former{common_, std::max(begin_, last_.before + -kSlackNs), bracket.after};
    taken_ = 0;
  }
  if (taken_ == 0) begin_ = bracket.before;
  last_ = bracket;
  brackets_[taken_ % kRemembered] = difference;
  ++taken_;
  common_ = Common();
}

void RealtimeConversion::Observe() {
  Take(reader_.Read());
  observed_ = last_.before;
}

void RealtimeConversion::Confirm() { Take(reader_.Read()); }

bool RealtimeConversion::MayBeFromBeforeTheStep(int64_t realtime_ns) const {
  if (!former_.has_value()) return false;
  return realtime_ns - former_->difference.low_ns >= former_->since.ns &&
         realtime_ns - former_->difference.high_ns <= former_->until.ns;
}

std::optional<BoundedHostTime> RealtimeConversion::Convert(KernelStamp stamp) const {
  if (moved_) return std::nullopt;
  const int64_t realtime_ns = reader_.StampedNs(stamp.realtime_ns_);
  if (MayBeFromBeforeTheStep(realtime_ns)) return std::nullopt;
  const HostTime time{realtime_ns - common_.middle_ns()};
  const int64_t bound_ns = (common_.high_ns - common_.low_ns) / 2 + 1;
  const HostTime earliest = std::max(begin_, observed_ + -kSlackNs);
  if (time + bound_ns < earliest || last_.after < time + -bound_ns) return std::nullopt;
  return BoundedHostTime{time, bound_ns};
}

}  // namespace tutti
