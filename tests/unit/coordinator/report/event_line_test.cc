#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "coordinator/report/report.h"
#include "tests/unit/coordinator/report/golden.h"
#include "tests/unit/coordinator/report/sample_result.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;
using testing::HasSubstr;
using testing::Not;

v1::RunEvent At(int64_t unix_ns) {
  v1::RunEvent event;
  event.set_run_id("run-7");
  event.set_at_unix_ns(unix_ns);
  return event;
}

v1::RunEvent Started() {
  v1::RunEvent event = At(1'700'000'000'000'000'002);
  v1::Result& head = *event.mutable_started()->mutable_head();
  head.set_tutti_version("0.1.0");
  head.set_user("alice@lab");
  head.set_lab(true);
  head.set_expected_duration_ns(3'300'000'000);
  head.mutable_plan()->set_name("stream \"test\"");
  head.mutable_plan()->set_source_name("p.yaml");
  for (const char* value : {"1", "4"}) {
    v1::Case& each = *head.mutable_plan()->add_cases();
    each.set_index(static_cast<uint32_t>(head.plan().cases_size() - 1));
    v1::AxisValue& axis = *each.add_values();
    axis.set_axis("streams");
    axis.set_value(value);
  }
  for (const char* name : {"a", "b"}) {
    head.add_hosts()->set_name(name);
    head.mutable_hosts(head.hosts_size() - 1)->mutable_facts()->set_kernel_release("6.1");
  }
  return event;
}

v1::RunEvent Interval() {
  v1::RunEvent event = At(1'700'000'000'000'000'006);
  v1::LiveInterval& interval = *event.mutable_interval();
  interval.set_case_index(1);
  interval.set_repetition(2);
  interval.set_interval(3);
  interval.set_begin_trial_ns(1'300'000'000);
  interval.set_end_trial_ns(1'400'000'000);
  v1::LiveEntry& entry = *interval.add_entries();
  entry.set_entry("bulk");
  entry.set_sent_bps(4197400000.5);
  entry.set_retransmits(0);
  return event;
}

// A run's events, one of each kind. The times go up by 1 ns, beyond what a double can tell apart.
std::vector<v1::RunEvent> OneOfEach() {
  std::vector<v1::RunEvent> events;
  v1::RunEvent& queued = events.emplace_back(At(1'700'000'000'000'000'001));
  queued.mutable_queued()->set_position(1);
  queued.mutable_queued()->add_waits_for("host a: runs run-6 of alice since 13:50:02");
  events.push_back(Started());
  v1::RunEvent& case_started = events.emplace_back(At(1'700'000'000'000'000'003));
  case_started.mutable_case_started()->set_case_index(1);
  case_started.mutable_case_started()->set_cases(2);
  v1::RunEvent& trial_started = events.emplace_back(At(1'700'000'000'000'000'004));
  trial_started.mutable_trial_started()->set_case_index(1);
  trial_started.mutable_trial_started()->set_repetition(2);
  trial_started.mutable_trial_started()->set_repetitions(3);
  trial_started.mutable_trial_started()->set_streams(4);
  v1::RunEvent& phase = events.emplace_back(At(1'700'000'000'000'000'005));
  phase.mutable_phase()->set_case_index(1);
  phase.mutable_phase()->set_repetition(2);
  phase.mutable_phase()->set_phase("MEASURE");
  events.push_back(Interval());
  v1::RunEvent& trial_ended = events.emplace_back(At(1'700'000'000'000'000'007));
  trial_ended.mutable_trial_ended()->set_case_index(1);
  trial_ended.mutable_trial_ended()->set_repetition(2);
  trial_ended.mutable_trial_ended()->set_status(v1::TRIAL_STATUS_OVER_LIMIT);
  trial_ended.mutable_trial_ended()->add_reasons("running skew 20ms");
  v1::RunEvent& case_ended = events.emplace_back(At(1'700'000'000'000'000'008));
  case_ended.mutable_case_ended()->set_index(1);
  case_ended.mutable_case_ended()->set_status(v1::CASE_STATUS_OVER_LIMIT);
  case_ended.mutable_case_ended()->set_good_trials(2);
  case_ended.mutable_case_ended()->set_wanted_trials(3);
  v1::RunEvent& ended = events.emplace_back(At(1'700'000'000'000'000'009));
  ended.mutable_ended()->set_status(v1::RUN_STATUS_LIMIT_FAILED);
  ended.mutable_ended()->set_exit_code(4);
  ended.mutable_ended()->add_reasons("case 2: running skew\n20ms");
  ended.mutable_ended()->set_started_unix_ns(1'700'000'000'000'000'002);
  ended.mutable_ended()->set_finished_unix_ns(1'700'000'000'000'000'009);
  return events;
}

TEST(EventLineTest, Golden) {
  std::string text = RenderAcceptedLine("run-7");
  for (const v1::RunEvent& event : OneOfEach()) text += RenderEventLine(event);
  ExpectGolden("events.jsonl", text);
}

TEST(EventLineTest, EveryKindOfEventIsOneLineOfJsonAndNamed) {
  EXPECT_EQ(static_cast<int>(OneOfEach().size()), v1::RunEvent::descriptor()->oneof_decl(0)->field_count());
  for (const v1::RunEvent& event : OneOfEach()) {
    const std::string line = RenderEventLine(event);
    ASSERT_FALSE(line.empty());
    EXPECT_EQ(line.find('\n'), line.size() - 1) << line;
    google::protobuf::Struct object;  // the library's own reader
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(line, &object).ok()) << line;
    const std::string name = event.GetDescriptor()->FindFieldByNumber(event.body_case())->name();
    EXPECT_EQ(object.fields().at("event").string_value(), name);
    EXPECT_EQ(object.fields().at("run_id").string_value(), "run-7");
  }
  EXPECT_EQ(RenderEventLine(v1::RunEvent()), "");
}

TEST(EventLineTest, ACaseThatEndedHasTheLinesOfTheTableAndNoTrials) {
  v1::RunEvent event = At(1);
  *event.mutable_case_ended() = SampleResult().cases(1);
  const std::string line = RenderEventLine(event);
  EXPECT_THAT(
      line, HasSubstr("\"rows\":[{\"entry\":\"bulk\",\"reverse\":false,\"protocol\":\"tcp\",\"streams\":1,"));
  EXPECT_THAT(line, HasSubstr("\"values\":[{\"axis\":\"streams\",\"value\":\"1\"},"));
  EXPECT_THAT(line, HasSubstr("\"thresholds\":[]"));
  EXPECT_THAT(line, Not(HasSubstr("\"trials\":[")));
}

TEST(EventLineTest, TheEndHasTheVerdictAndNotTheResult) {
  v1::RunEvent event = At(1);
  *event.mutable_ended() = SampleResult();
  const std::string line = RenderEventLine(event);
  EXPECT_THAT(line, HasSubstr("\"status\":\"partial\",\"exit_code\":7,\"reasons\":[\"case 3 "));
  EXPECT_LT(line.size(), 500u);
}

TEST(EventLineTest, ARunThatNeverLeftTheQueueHasNoStart) {
  v1::RunEvent ended = At(9);
  ended.mutable_ended()->set_finished_unix_ns(9);
  EXPECT_THAT(RenderEventLine(ended), HasSubstr("\"started_unix_ns\":null,\"finished_unix_ns\":9}"));
}

}  // namespace
}  // namespace tutti::report
