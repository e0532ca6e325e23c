#include "coordinator/store/result_parts.h"

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "coordinator/store/column_codec.h"
#include "tests/unit/coordinator/store/random_message.h"

namespace tutti::store {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::util::MessageDifferencer;

TEST(ResultPartsTest, AHeadHasEverythingButTheCases) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::Result result;
    RandomMessages(seed).Fill(result, 2);
    tutti::v1::Result expected = result;
    expected.clear_cases();
    EXPECT_TRUE(MessageDifferencer::Equals(HeadOf(result), expected)) << seed;
  }
}

TEST(ResultPartsTest, ASummaryHasEverythingButTheTrials) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::CaseResult result;
    RandomMessages(seed).Fill(result, 2);
    tutti::v1::CaseResult expected = result;
    expected.clear_trials();
    EXPECT_TRUE(MessageDifferencer::Equals(SummaryOf(result), expected)) << seed;
  }
}

TEST(ResultPartsTest, LabelsOfHostsStay) {
  tutti::v1::Result result;
  (*result.add_hosts()->mutable_labels())["rack"] = "a";
  EXPECT_EQ(HeadOf(result).hosts(0).labels().at("rack"), "a");
  EXPECT_EQ(WithoutIntervals(result).hosts(0).labels().at("rack"), "a");
}

// "Result.cases" of every list of a result, and every field that is left out with the intervals. What lies
// within one of these is not looked at.
void Collect(const Descriptor& type, std::set<const Descriptor*>& seen, std::set<std::string>& lists,
             std::set<std::string>& of_intervals) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    const std::string name = std::string(type.name()) + "." + std::string(field.name());
    if (IsOfIntervals(field)) {
      of_intervals.insert(name);
      continue;
    }
    if (field.is_repeated()) lists.insert(name);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Collect(*field.message_type(), seen, lists, of_intervals);
    }
  }
}

// A list that is added to a trial has to be put here or into FieldsOfIntervals of result_parts.cc, if it has
// an element for each interval.
TEST(ResultPartsTest, EveryListOfATrialIsKnownToBeOfIntervalsOrNot) {
  std::set<const Descriptor*> seen;
  std::set<std::string> lists;
  std::set<std::string> of_intervals;
  Collect(*tutti::v1::TrialResult::descriptor(), seen, lists, of_intervals);
  EXPECT_EQ(of_intervals,
            (std::set<std::string>{"TrialResult.timeline", "EntryResult.sent_bytes_intervals",
                                   "EntryResult.received_bytes_intervals", "EntryResult.lost_intervals",
                                   "StreamResult.sent_bytes_intervals",
                                   "StreamResult.received_bytes_intervals", "StreamResult.lost_intervals",
                                   "StreamResult.tcp_series", "StreamResult.socket_drops_intervals",
                                   "StreamReport.sent_cohorts", "StreamReport.received_cohorts"}));
  // By entry, host, machine, CPU, device, option, bucket of latencies; texts.
  const std::set<std::string> others = {
      "TrialResult.reasons",  "TrialResult.entries",   "TrialResult.machines",  "TrialResult.hosts",
      "TrialResult.streams",  "TrialResult.warnings",  "MachineResult.per_cpu", "HostResult.devices",
      "StreamReport.options", "StreamReport.warnings", "LatencyCounts.counts"};
  EXPECT_EQ(lists, others);
}

// The fields by hand, so that the list under test is not its own witness.
void ClearIntervals(tutti::v1::StreamResult& stream) {
  stream.clear_sent_bytes_intervals();
  stream.clear_received_bytes_intervals();
  stream.clear_lost_intervals();
  stream.clear_tcp_series();
  stream.clear_socket_drops_intervals();
  for (tutti::v1::StreamReport* report : {stream.has_sender() ? stream.mutable_sender() : nullptr,
                                          stream.has_receiver() ? stream.mutable_receiver() : nullptr}) {
    if (report == nullptr) continue;
    report->clear_sent_cohorts();
    report->clear_received_cohorts();
  }
}

void ClearIntervals(tutti::v1::TrialResult& trial) {
  trial.clear_timeline();
  for (tutti::v1::EntryResult& entry : *trial.mutable_entries()) {
    entry.clear_sent_bytes_intervals();
    entry.clear_received_bytes_intervals();
    entry.clear_lost_intervals();
  }
  for (tutti::v1::StreamResult& stream : *trial.mutable_streams()) ClearIntervals(stream);
}

TEST(ResultPartsTest, WithoutIntervalsEverythingElseIsThereAndItIsMarked) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::Result result;
    RandomMessages(seed).Fill(result, 2);
    tutti::v1::Result expected = result;
    expected.set_intervals_left_out(true);
    for (tutti::v1::CaseResult& each : *expected.mutable_cases()) {
      for (tutti::v1::TrialResult& trial : *each.mutable_trials()) ClearIntervals(trial);
    }
    EXPECT_TRUE(MessageDifferencer::Equals(WithoutIntervals(result), expected)) << seed;
  }
}

TEST(ResultPartsTest, ColumnsAreReadWithoutIntervalsAsTheyAreCopied) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    tutti::v1::TrialResult trial;
    RandomMessages(seed).Fill(trial, 3);
    tutti::v1::TrialResult read;
    const absl::Status status = DecodeColumns(EncodeColumns(trial), read, {}, &IsOfIntervals);
    ASSERT_TRUE(status.ok()) << status;
    ClearIntervals(trial);
    EXPECT_TRUE(MessageDifferencer::Equals(read, trial)) << seed;
  }
}

}  // namespace
}  // namespace tutti::store
