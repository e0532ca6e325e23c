#include "coordinator/cli/resumed_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/nanoseconds.h"
#include "tests/unit/coordinator/cli/paused_clock.h"
#include "tests/unit/coordinator/cli/refusing_client.h"

namespace tutti::cli {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int64_t kMost = 30 * kSecond;

tutti::v1::RunEvent Event(uint64_t sequence) {
  tutti::v1::RunEvent event;
  event.set_run_id("run-7");
  event.set_sequence(sequence);
  event.mutable_phase()->set_phase("MEASURE");
  return event;
}

tutti::v1::RunEvent Ended(uint64_t sequence) {
  tutti::v1::RunEvent event = Event(sequence);
  event.mutable_ended()->set_status(tutti::v1::RUN_STATUS_PASSED);
  return event;
}

absl::Status Broken() { return absl::UnavailableError("connection reset"); }

// Each watch is what the test says; what was asked is kept.
class WatchedClient final : public RefusingClient {
 public:
  absl::Status Watch(const tutti::v1::WatchRequest& request, const OnRunEvent& on_event,
                     const std::stop_token&) override {
    asked.push_back(request.after_sequence());
    return watch(request.after_sequence(), on_event);
  }
  absl::Status WatchFleet(const tutti::v1::WatchFleetRequest& request, const OnFleetEvent& on_event,
                          const std::stop_token&) override {
    asked.push_back(request.after_sequence());
    return watch_fleet(request.after_sequence(), on_event);
  }
  absl::StatusOr<tutti::v1::ListWorkersResponse> ListWorkers(const tutti::v1::ListWorkersRequest&) override {
    const absl::Status reached = reach();
    if (!reached.ok()) return reached;
    return tutti::v1::ListWorkersResponse();
  }
  absl::StatusOr<tutti::v1::Result> GetResult(const tutti::v1::GetResultRequest&) override { return stored; }

  std::function<absl::Status(uint64_t after, const OnRunEvent&)> watch;
  std::function<absl::Status(uint64_t after, const OnFleetEvent&)> watch_fleet;
  std::function<absl::Status()> reach = [] { return absl::OkStatus(); };
  absl::StatusOr<tutti::v1::Result> stored = absl::UnavailableError("gone");
  std::vector<uint64_t> asked;
};

class ResumedWatchTest : public ::testing::Test {
 protected:
  absl::Status Follow(int64_t most_ns = kMost) {
    return WatchRun(
        client_, "run-7",
        [this](const tutti::v1::RunEvent& event) {
          seen_.push_back(event.sequence());
          ended_ = ended_ || event.has_ended();
        },
        clock_.PatienceOf(most_ns), said_, stop_.get_token());
  }

  absl::Status FollowFleet() {
    return WatchFleet(
        client_, [](const tutti::v1::FleetEvent&) {}, clock_.PatienceOf(kMost), said_, stop_.get_token());
  }

  // Tells `events` behind `after`, and breaks when it has told `most` of them.
  void BreakAfter(size_t most, std::vector<tutti::v1::RunEvent> events) {
    client_.watch = [most, events](uint64_t after, const CoordinatorClient::OnRunEvent& on_event) {
      size_t told = 0;
      for (const tutti::v1::RunEvent& event : events) {
        if (event.sequence() <= after) continue;
        if (told++ == most) return Broken();
        on_event(event);
      }
      return absl::OkStatus();
    };
  }

  WatchedClient client_;
  PausedClock clock_;
  std::stop_source stop_;
  std::ostringstream said_;
  std::vector<uint64_t> seen_;
  bool ended_ = false;
};

TEST_F(ResumedWatchTest, ABrokenWatchGoesOnBehindTheLastEventAndTellsNoneTwice) {
  BreakAfter(2, {Event(1), Event(2), Event(3), Event(4), Ended(5)});
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(seen_, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(client_.asked, ElementsAre(0, 2, 4));
  EXPECT_THAT(clock_.pauses, ElementsAre(kSecond / 2, kSecond / 2));
  EXPECT_THAT(said_.str(), HasSubstr("connection to the coordinator broke; trying again for 30s\n"));
}

TEST_F(ResumedWatchTest, NumbersMayHaveGaps) {
  BreakAfter(1, {Event(3), Event(70), Ended(71)});
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(client_.asked, ElementsAre(0, 3, 70));
}

TEST_F(ResumedWatchTest, AConnectionThatBreaksBehindTheLastEventHasLostNothing) {
  client_.watch = [](uint64_t, const CoordinatorClient::OnRunEvent& on_event) {
    on_event(Ended(9));
    return Broken();
  };
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(client_.asked, ElementsAre(0));
  EXPECT_EQ(said_.str(), "");
}

TEST_F(ResumedWatchTest, ACoordinatorThatStaysAwayIsGivenUpAfterHalfAMinute) {
  client_.watch = [](uint64_t, const CoordinatorClient::OnRunEvent&) { return Broken(); };
  const absl::Status status = Follow();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("connection reset"), HasSubstr("after 30s")));
  EXPECT_EQ(clock_.now.ns, kMost);
  // Twice a second, with the first and the last.
  EXPECT_THAT(client_.asked, SizeIs(61));
  EXPECT_THAT(client_.asked, Each(0));
  EXPECT_EQ(said_.str().find("trying again"), said_.str().rfind("trying again")) << said_.str();
}

TEST_F(ResumedWatchTest, TheLastAttemptIsBegunWhenTheTimeIsOver) {
  // 5 s until each attempt has failed: begun at 0, 5.5, 11 ... 33, 38.5 s; broken since 5 s, over at 35 s.
  client_.watch = [this](uint64_t, const CoordinatorClient::OnRunEvent& on_event) {
    if (clock_.now.ns >= 34 * kSecond) {
      on_event(Ended(1));
      return absl::OkStatus();
    }
    clock_.now = clock_.now + 5 * kSecond;
    return Broken();
  };
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(client_.asked, SizeIs(8));
}

TEST_F(ResumedWatchTest, PatienceBeginsAnewWithEachEvent) {
  client_.watch = [this](uint64_t after, const CoordinatorClient::OnRunEvent& on_event) {
    if (after == 0 && clock_.now.ns >= 20 * kSecond) on_event(Event(1));
    if (after == 1 && clock_.now.ns >= 45 * kSecond) on_event(Ended(2));
    return Broken();
  };
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(seen_, ElementsAre(1, 2));
}

TEST_F(ResumedWatchTest, AWatchThatHadNothingToTellForAWhileWasConnected) {
  int watches = 0;
  client_.watch = [this, &watches](uint64_t, const CoordinatorClient::OnRunEvent& on_event) {
    ++watches;
    if (watches == 1 || watches == 51) clock_.now = clock_.now + 3600 * kSecond;  // it waits in the queue
    if (watches == 101) on_event(Ended(1));
    return Broken();
  };
  // 49 attempts in 25 s between each two of them.
  EXPECT_TRUE(Follow().ok());
  EXPECT_EQ(watches, 101);
}

TEST_F(ResumedWatchTest, AWatchThatReachesItsDeadlineIsBegunAnewWithoutAWord) {
  int watches = 0;
  client_.watch = [this, &watches](uint64_t, const CoordinatorClient::OnRunEvent& on_event) -> absl::Status {
    if (++watches == 2) {
      on_event(Ended(2));
      return absl::OkStatus();
    }
    on_event(Event(1));
    clock_.now = clock_.now + 1800 * kSecond;
    return absl::DeadlineExceededError("Deadline Exceeded");
  };
  EXPECT_TRUE(Follow().ok());
  EXPECT_THAT(client_.asked, ElementsAre(0, 1));
  EXPECT_THAT(clock_.pauses, IsEmpty());
  EXPECT_EQ(said_.str(), "");
}

TEST_F(ResumedWatchTest, WithoutPatienceTheFirstBreakIsTheEnd) {
  BreakAfter(1, {Event(1), Ended(2)});
  const absl::Status status = Follow(0);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(status.message()), "connection reset");
  EXPECT_THAT(client_.asked, ElementsAre(0));
  EXPECT_EQ(said_.str(), "");
}

TEST_F(ResumedWatchTest, WhoStopsItIsNotKeptWaiting) {
  client_.watch = [this](uint64_t, const CoordinatorClient::OnRunEvent& on_event) -> absl::Status {
    on_event(Event(1));
    stop_.request_stop();
    return absl::CancelledError("");
  };
  EXPECT_EQ(Follow().code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(client_.asked, ElementsAre(0));
  EXPECT_THAT(clock_.pauses, IsEmpty());
}

TEST_F(ResumedWatchTest, ACoordinatorThatCameBackWithoutTheRunIsUnavailable) {
  client_.stored = absl::NotFoundError("no run run-7");
  client_.watch = [](uint64_t after, const CoordinatorClient::OnRunEvent& on_event) -> absl::Status {
    if (after > 0) return absl::NotFoundError("no run run-7");
    on_event(Event(1));
    return Broken();
  };
  const absl::Status status = Follow();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has not kept the run"));
}

TEST_F(ResumedWatchTest, ARunThatNobodyKnewIsNotFound) {
  client_.stored = absl::NotFoundError("no run run-7");
  client_.watch = [](uint64_t, const CoordinatorClient::OnRunEvent&) {
    return absl::NotFoundError("no run run-7");
  };
  EXPECT_EQ(Follow().code(), absl::StatusCode::kNotFound);
}

TEST_F(ResumedWatchTest, WhereTheEndWasNotWatchedTheResultIsTheLastEvent) {
  BreakAfter(1, {Event(1), Ended(2)});
  client_.stored = tutti::v1::Result();
  client_.stored->set_status(tutti::v1::RUN_STATUS_PARTIAL);
  EXPECT_TRUE(Follow(0).ok());
  EXPECT_TRUE(ended_);
}

TEST_F(ResumedWatchTest, AnUnfinishedResultIsNoEnd) {
  client_.watch = [](uint64_t, const CoordinatorClient::OnRunEvent&) { return absl::OkStatus(); };
  client_.stored = tutti::v1::Result();
  client_.stored->set_status(tutti::v1::RUN_STATUS_RUNNING);
  EXPECT_EQ(Follow().code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(ended_);
}

TEST_F(ResumedWatchTest, TheFleetIsWatchedOnBehindTheLastEventToo) {
  client_.watch_fleet = [](uint64_t after, const CoordinatorClient::OnFleetEvent& on_event) -> absl::Status {
    if (after == 42) return absl::PermissionDeniedError("enough");
    tutti::v1::FleetEvent event;
    event.set_sequence(after == 0 ? 41 : 42);
    on_event(event);
    return Broken();
  };
  std::vector<uint64_t> seen;
  const absl::Status status = WatchFleet(
      client_, [&seen](const tutti::v1::FleetEvent& event) { seen.push_back(event.sequence()); },
      clock_.PatienceOf(kMost), said_, stop_.get_token());
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(seen, ElementsAre(41, 42));
  EXPECT_THAT(client_.asked, ElementsAre(0, 41, 42));
}

TEST_F(ResumedWatchTest, TheFleetOfACoordinatorThatCountsAnewIsWatchedOnBehindItsOwnEvents) {
  const std::vector<uint64_t> told = {41, 1, 2};
  size_t next = 0;
  client_.watch_fleet = [&](uint64_t, const CoordinatorClient::OnFleetEvent& on_event) -> absl::Status {
    if (next == told.size()) return absl::PermissionDeniedError("enough");
    tutti::v1::FleetEvent event;
    event.set_sequence(told[next++]);
    on_event(event);
    return Broken();
  };
  const absl::Status status = FollowFleet();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(client_.asked, ElementsAre(0, 41, 1, 2));
  EXPECT_THAT(said_.str(), Not(HasSubstr("is back")));
}

TEST_F(ResumedWatchTest, AWatchOfTheFleetThatHasSeenNothingSaysThatItHasAGap) {
  // Out of reach from 0 s to 25 s, and from 26 s, when the second watch breaks, to 51 s.
  client_.watch_fleet = [this](uint64_t, const CoordinatorClient::OnFleetEvent&) -> absl::Status {
    if (client_.asked.size() == 3) return absl::PermissionDeniedError("enough");
    if (client_.asked.size() == 2) clock_.now = clock_.now + kSecond;
    return Broken();
  };
  client_.reach = [this] {
    const int64_t now_ns = clock_.now.ns;
    const bool there = now_ns == 25 * kSecond || now_ns >= 51 * kSecond;
    return there ? absl::OkStatus() : Broken();
  };
  EXPECT_EQ(FollowFleet().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(client_.asked, ElementsAre(0, 0, 0));
  const std::string broke = "tutti: the connection to the coordinator broke; trying again for 30s\n";
  const std::string back =
      "tutti: the connection to the coordinator is back; what changed meanwhile is not told: `tutti workers` "
      "shows how things stand\n";
  EXPECT_EQ(said_.str(), broke + back + broke + back);
}

TEST_F(ResumedWatchTest, AStoppedCoordinatorThatLeavesCallsUnansweredIsGivenUp) {
  client_.watch_fleet = [](uint64_t, const CoordinatorClient::OnFleetEvent&) { return Broken(); };
  client_.reach = [this] {
    clock_.now = clock_.now + 10 * kSecond;
    return absl::DeadlineExceededError("Deadline Exceeded");
  };
  EXPECT_EQ(FollowFleet().code(), absl::StatusCode::kUnavailable);
}

TEST(PauseForTest, IsOverAtOnceForWhoHasStopped) {
  std::stop_source stop;
  stop.request_stop();
  PauseFor(3600 * kSecond, stop.get_token());
}

}  // namespace
}  // namespace tutti::cli
