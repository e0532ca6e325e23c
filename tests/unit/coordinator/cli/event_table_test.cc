#include "coordinator/cli/event_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>

#include "tests/nanoseconds.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;
using tutti::v1::RunEvent;

// 2026-11-30 14:05:00 UTC: 20787 days and 50700 s since 1970.
constexpr int64_t kInstant = (20787LL * 86400 + 50700) * kSecond;

class EventTableTest : public ::testing::Test {
 protected:
  EventTableTest() {
    setenv("TZ", "UTC", 1);
    tzset();
  }
  ~EventTableTest() override {
    unsetenv("TZ");
    tzset();
  }
  RunEvent& Add() {
    RunEvent& event = *events_.add_events();
    event.set_run_id("run-1");
    event.set_at_unix_ns(kInstant + events_.events_size() * (kSecond + 7 * kSecond / 1000));
    return event;
  }

  tutti::v1::ListEventsResponse events_;
};

TEST_F(EventTableTest, EachEventHasItsTimeAndWhatItIsAbout) {
  tutti::v1::Queued& queued = *Add().mutable_queued();
  queued.set_position(2);
  queued.add_waits_for("host b: runs run-0 of alice since 13:50:02");
  Add().mutable_started();
  Add().mutable_case_started()->set_cases(8);
  tutti::v1::TrialStarted& started = *Add().mutable_trial_started();
  started.set_repetition(2);
  started.set_repetitions(3);
  started.set_streams(4);
  tutti::v1::TrialEnded& ended = *Add().mutable_trial_ended();
  ended.set_repetition(2);
  ended.set_status(tutti::v1::TRIAL_STATUS_PARTIAL);
  ended.add_reasons("MEASURE on host b: session lost: killed");
  RunEvent& last = Add();
  last.mutable_ended()->set_status(tutti::v1::RUN_STATUS_PARTIAL);
  last.mutable_ended()->set_exit_code(7);
  EXPECT_EQ(RenderEvents(events_),
            "WHEN                     EVENT          ABOUT\n"
            "2026-11-30 14:05:01.007  queued         position 2\n"
            "                                          host b: runs run-0 of alice since 13:50:02\n"
            "2026-11-30 14:05:02.014  started        \n"
            "2026-11-30 14:05:03.021  case_started   case 1/8\n"
            "2026-11-30 14:05:04.028  trial_started  case 1, trial 2/3: 4 streams\n"
            "2026-11-30 14:05:05.035  trial_ended    case 1, trial 2: partial\n"
            "                                          MEASURE on host b: session lost: killed\n"
            "2026-11-30 14:05:06.042  ended          partial, exit code 7\n");
}

TEST_F(EventTableTest, ARunWithoutEventsSaysSo) { EXPECT_EQ(RenderEvents(events_), "no events\n"); }

TEST_F(EventTableTest, TheDocumentHasOnlyWhatWasKept) {
  Add().mutable_started();
  RunEvent& last = Add();
  last.mutable_case_ended()->set_index(3);
  last.mutable_case_ended()->set_status(tutti::v1::CASE_STATUS_ABORTED);
  last.mutable_case_ended()->add_reasons("trial 1 is aborted");
  const std::string yaml = report::DocumentYaml(EventsDocument("run-1", events_));
  EXPECT_THAT(yaml, HasSubstr("event: started\n"));
  EXPECT_THAT(yaml, HasSubstr("event: case_ended\n"));
  EXPECT_THAT(yaml, HasSubstr("case_index: 3\n"));
  EXPECT_THAT(yaml, HasSubstr("status: aborted\n"));
  EXPECT_THAT(yaml, testing::Not(HasSubstr("rows")));
}

}  // namespace
}  // namespace tutti::cli
