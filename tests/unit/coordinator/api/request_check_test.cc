#include "coordinator/api/request_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/nanoseconds.h"

namespace tutti::api {
namespace {

using testing::HasSubstr;
using tutti::v1::SubmitRequest;

std::string Refusal(const SubmitRequest& request) {
  const absl::Status status = CheckSubmission(request);
  if (!status.ok()) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  }
  return std::string(status.message());
}

TEST(RequestCheckTest, ASmallRequestPasses) {
  SubmitRequest request;
  request.set_plan("version: 1");
  (*request.mutable_labels())["commit"] = "3fa1";
  EXPECT_EQ(Refusal(request), "");
}

TEST(RequestCheckTest, WhatIsTooLargeIsToldWithItsSizeAndTheMost) {
  SubmitRequest plan;
  plan.set_plan(std::string(1024 * 1024 + 1, 'x'));
  EXPECT_EQ(Refusal(plan), "the plan has 1048577 bytes, at most 1048576 are taken");
  SubmitRequest overrides;
  overrides.add_overrides(std::string(65'536, 'x'));
  EXPECT_THAT(Refusal(overrides), HasSubstr("the text of the overrides has 65537 bytes"));
  SubmitRequest user;
  user.set_user(std::string(4097, 'x'));
  EXPECT_THAT(Refusal(user), HasSubstr("the user's name has 4097 bytes"));
  SubmitRequest label;
  (*label.mutable_labels())["k"] = std::string(65'536, 'x');
  EXPECT_THAT(Refusal(label), HasSubstr("a label of the run has 65537 bytes"));
  SubmitRequest labels;
  for (int i = 0; i < 65; ++i) (*labels.mutable_labels())[std::to_string(i)] = "x";
  EXPECT_THAT(Refusal(labels), HasSubstr("65 labels"));
  SubmitRequest nameless;
  (*nameless.mutable_labels())[""] = "x";
  EXPECT_THAT(Refusal(nameless), HasSubstr("no key"));
}

TEST(RequestCheckTest, AnIdempotencyKeyIsShortAndPrintable) {
  SubmitRequest request;
  request.set_idempotency_key(std::string(256, '~'));
  EXPECT_EQ(Refusal(request), "");
  request.set_idempotency_key(std::string(257, 'k'));
  EXPECT_THAT(Refusal(request), HasSubstr("257 bytes"));
  for (const char* key : {"two\nlines", "\x7f", "caf\xc3\xa9"}) {
    request.set_idempotency_key(key);
    EXPECT_THAT(Refusal(request), HasSubstr("printable ASCII")) << key;
  }
}

TEST(RequestCheckTest, AWaitIsOfASecondToAMonth) {
  SubmitRequest request;
  for (const int64_t good : {kSecond, 30 * kDay}) {
    request.set_max_wait_ns(good);
    EXPECT_EQ(Refusal(request), "") << good;
  }
  for (const int64_t bad : {int64_t{-1}, int64_t{0}, kSecond - 1, 30 * kDay + 1}) {
    request.set_max_wait_ns(bad);
    EXPECT_THAT(Refusal(request), HasSubstr("1s to 720h")) << bad;
  }
  request.set_max_wait_ns(-1);
  EXPECT_THAT(Refusal(request), HasSubstr("a run cannot wait -1ns for its hosts"));
}

TEST(RequestCheckTest, ANameIsNoLongerThanAnyCanBe) {
  EXPECT_TRUE(CheckName("run", std::string(256, 'x')).ok());
  EXPECT_EQ(CheckName("run", std::string(257, 'x')).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tutti::api
