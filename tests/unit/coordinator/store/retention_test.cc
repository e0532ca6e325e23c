#include "coordinator/store/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/nanoseconds.h"

namespace tutti::store {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int64_t kNow = 100 * kHour;

// Oldest first, ended 40, 30, 20 and 10 hours ago; 100 B each.
std::vector<EndedRun> FourRuns() {
  return {{"a", kNow - 40 * kHour, 100},
          {"b", kNow - 30 * kHour, 100},
          {"c", kNow - 20 * kHour, 100},
          {"d", kNow - 10 * kHour, 100}};
}

TEST(RetentionTest, WithoutLimitsEverythingStays) {
  EXPECT_THAT(ChooseExpired(FourRuns(), {}, kNow), IsEmpty());
}

TEST(RetentionTest, WhatEndedLongerAgoThanTheAgeGoes) {
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_age_ns = 20 * kHour}, kNow), ElementsAre("a", "b"));
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_age_ns = 20 * kHour - 1}, kNow), ElementsAre("a", "b", "c"));
}

TEST(RetentionTest, TheOldestGoUntilTheRestIsSmallEnough) {
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_bytes = 400}, kNow), IsEmpty());
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_bytes = 399}, kNow), ElementsAre("a"));
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_bytes = 150}, kNow), ElementsAre("a", "b", "c"));
}

TEST(RetentionTest, TheNewestStaysHoweverLargeItIs) {
  EXPECT_THAT(ChooseExpired({{"only", kNow, 1'000'000}}, {.max_bytes = 10}, kNow), IsEmpty());
  EXPECT_THAT(ChooseExpired(FourRuns(), {.max_bytes = 0}, kNow), ElementsAre("a", "b", "c"));
}

TEST(RetentionTest, WhatGoesForItsAgeMakesRoom) {
  // b was accepted before c and ended long before a: its going is enough.
  const std::vector<EndedRun> runs = {{"a", kNow, 100}, {"b", kNow - 50 * kHour, 300}, {"c", kNow, 100}};
  EXPECT_THAT(ChooseExpired(runs, {.max_age_ns = kHour, .max_bytes = 200}, kNow), ElementsAre("b"));
}

// Only what retention asks for.
class FakeStore final : public RunStore {
 public:
  absl::Status Begin(const tutti::v1::Result&, const Labels&, const std::string&) override {
    return absl::OkStatus();
  }
  absl::Status PutTrial(const std::string&, uint32_t, uint32_t, const tutti::v1::TrialResult&) override {
    return absl::OkStatus();
  }
  absl::Status PutEvents(const std::vector<tutti::v1::RunEvent>&) override { return absl::OkStatus(); }
  absl::Status Finish(const tutti::v1::Result&) override { return absl::OkStatus(); }
  absl::StatusOr<tutti::v1::Result> Get(const std::string&) const override { return absl::NotFoundError(""); }
  absl::StatusOr<tutti::v1::Result> GetWithoutIntervals(const std::string&) const override {
    return absl::NotFoundError("");
  }
  absl::StatusOr<KeptRun> Describe(const std::string&) const override { return absl::NotFoundError(""); }
  absl::StatusOr<std::string> RunOfKey(const std::string&) const override { return absl::NotFoundError(""); }
  absl::StatusOr<std::vector<tutti::v1::RunEvent>> Events(const std::string&) const override {
    return std::vector<tutti::v1::RunEvent>();
  }
  absl::StatusOr<tutti::v1::ListRunsResponse> List(const tutti::v1::ListRunsRequest&) const override {
    return tutti::v1::ListRunsResponse();
  }
  absl::StatusOr<std::vector<std::string>> Unfinished() const override { return std::vector<std::string>(); }
  absl::StatusOr<std::vector<EndedRun>> Ended() const override { return FourRuns(); }
  absl::Status Delete(const std::string& run_id) override {
    if (run_id == gone) return absl::NotFoundError("gone");
    if (run_id == damaged) return absl::DataLossError("damaged");
    deleted.push_back(run_id);
    return absl::OkStatus();
  }

  std::string gone;
  std::string damaged;
  std::vector<std::string> deleted;
};

TEST(RetentionTest, RemovesWhatWasChosen) {
  FakeStore store;
  EXPECT_EQ(*RemoveExpired(store, {.max_age_ns = 20 * kHour}, kNow), 2);
  EXPECT_THAT(store.deleted, ElementsAre("a", "b"));
}

TEST(RetentionTest, ARunThatSomebodyElseHasRemovedIsNoError) {
  FakeStore store;
  store.gone = "a";
  EXPECT_EQ(*RemoveExpired(store, {.max_age_ns = 20 * kHour}, kNow), 1);
  EXPECT_THAT(store.deleted, ElementsAre("b"));
}

TEST(RetentionTest, AnErrorOfTheStoreIsTold) {
  FakeStore store;
  store.damaged = "a";
  EXPECT_EQ(RemoveExpired(store, {.max_age_ns = 20 * kHour}, kNow).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tutti::store
