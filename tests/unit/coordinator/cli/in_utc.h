// Tests of texts with instants: the process is in UTC while one of them runs.
#pragma once

#include <gtest/gtest.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>

#include "tests/nanoseconds.h"

namespace tutti::cli {

// 2026-11-30 14:05:00 UTC: 20787 days and 50700 s since 1970.
inline constexpr int64_t kInstant = (20787LL * 86400 + 50700) * kSecond;

class InUtc : public ::testing::Test {
 protected:
  InUtc() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  ~InUtc() override {
    unsetenv("TZ");
    tzset();
  }
};

}  // namespace tutti::cli
