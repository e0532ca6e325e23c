#include "common/config/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti {
namespace {

using ::testing::HasSubstr;

TEST(LeaseTest, IsFrom100MillisecondsTo10Minutes) {
  EXPECT_EQ(*ParseLeaseNs("100ms"), 100'000'000);
  EXPECT_EQ(*ParseLeaseNs("2s"), 2'000'000'000);
  EXPECT_EQ(*ParseLeaseNs("10m"), 600'000'000'000);
}

TEST(LeaseTest, WhatIsShorterOrLongerOrNoDurationIsRefused) {
  for (const char* text : {"99ms", "601s", "0s"}) {
    EXPECT_THAT(std::string(ParseLeaseNs(text).status().message()), HasSubstr("not within 100ms and 10m"))
        << text;
  }
  EXPECT_EQ(ParseLeaseNs("soon").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseLeaseNs("2").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tutti
