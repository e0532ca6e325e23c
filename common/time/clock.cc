#include "common/time/clock.h"

#include <time.h>

namespace tutti {
namespace {

int64_t ReadNs(clockid_t id) {
  timespec now{};
  clock_gettime(id, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

HostTime SystemClock::Now() const { return {ReadNs(CLOCK_MONOTONIC)}; }

const SystemClock& SystemClock::Get() {
  static const SystemClock clock;
  return clock;
}

int64_t UnixNowNs() { return ReadNs(CLOCK_REALTIME); }

}  // namespace tutti
