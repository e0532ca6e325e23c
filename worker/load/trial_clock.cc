#include "worker/load/trial_clock.h"

namespace tutti::load {

int64_t ShiftFromMonotonicNs(const Clock& clock) {
  int64_t shift_ns = 0;
  int64_t narrowest_ns = INT64_MAX;
  for (int i = 0; i < 8; ++i) {
    const int64_t before_ns = MonotonicNowNs();
    const int64_t clock_ns = clock.Now().ns;
    const int64_t after_ns = MonotonicNowNs();
    if (before_ns <= clock_ns && clock_ns <= after_ns) return 0;
    if (after_ns - before_ns < narrowest_ns) {
      narrowest_ns = after_ns - before_ns;
      shift_ns = clock_ns - before_ns - narrowest_ns / 2;
    }
  }
  return shift_ns;
}

}  // namespace tutti::load
