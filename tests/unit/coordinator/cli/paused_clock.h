// Time that passes only when somebody waits.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "common/time/clock.h"
#include "coordinator/cli/resumed_watch.h"

namespace tutti::cli {

class PausedClock final : public Clock {
 public:
  HostTime Now() const override { return now; }

  // Outlived by the clock.
  Patience PatienceOf(int64_t most_ns) {
    return {.most_ns = most_ns, .clock = this, .pause = [this](int64_t ns, const std::stop_token&) {
              pauses.push_back(ns);
              now = now + ns;
            }};
  }

  HostTime now;
  std::vector<int64_t> pauses;
};

}  // namespace tutti::cli
