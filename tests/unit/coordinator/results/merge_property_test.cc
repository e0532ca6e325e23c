// For random trials with missing, short and late reports: sums agree at every level, nothing is negative,
// null is not 0, and order does not matter. The oracle is a plain sum over the raw events.
#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

constexpr int kTrials = 150;

RawTrial RandomTrial(std::mt19937_64& random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  RawTrial trial;
  trial.plan_case.mutable_timing()->set_interval_ns(pick(60, 700) * kMs);
  if (pick(0, 1) == 1) trial.traffic().set_protocol(v1::PROTOCOL_TCP);
  v1::TrafficEntry second = trial.traffic();
  second.set_name("second");
  second.set_protocol(pick(0, 1) == 1 ? v1::PROTOCOL_TCP : v1::PROTOCOL_UDP);
  *trial.plan_case.add_traffic() = second;
  const int64_t hosts = pick(2, 5);
  for (int64_t i = 0; i < hosts; ++i) {
    RawHost& host = trial.AddHost("h" + std::to_string(i), "m" + std::to_string(pick(0, hosts - 1)));
    host.late_ns = pick(0, 3) * kMs;
    host.half_read_ns = pick(0, 50'000);
    host.missing = pick(0, 5) == 0;
    if (pick(0, 5) == 0) host.edges = static_cast<uint32_t>(pick(0, trial.intervals()));
    host.busy.assign(static_cast<size_t>(pick(1, 3)), static_cast<double>(pick(0, 100)) / 100);
    trial.roles[pick(0, 1) == 0 ? "sender" : "receiver"].push_back(host.name);
  }
  const int64_t streams = pick(1, 6);
  for (int64_t i = 0; i < streams; ++i) {
    const int64_t from = pick(0, hosts - 1);
    const int64_t to = (from + pick(1, hosts - 1)) % hosts;
    RawStream& stream = trial.AddStream("h" + std::to_string(from), "h" + std::to_string(to),
                                        pick(0, 1) == 0 ? "bulk" : "second");
    stream.flow.set_reverse(pick(0, 3) == 0);
    RawTrial::Fill(stream, pick(0, 900) * kMs, 2'500 * kMs, pick(1, 20) * kMs, pick(0, 5) * kMs);
    const bool tcp =
        trial.plan_case.traffic(stream.flow.entry() == "bulk" ? 0 : 1).protocol() == v1::PROTOCOL_TCP;
    if (tcp) continue;
    for (RawMessage& message : stream.messages) {
      const int64_t dice = pick(0, 19);
      if (dice == 0) message.fate = Fate::kLost;
      if (dice == 1) message.fate = Fate::kReordered;
      if (dice == 2) message.fate = Fate::kLate;
      if (dice == 3) message.duplicates = 1;
    }
  }
  return trial;
}

uint64_t Sum(const google::protobuf::RepeatedField<uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), uint64_t{0});
}

// Both edges of the window arrived.
bool HasWindow(const RawTrial& trial, const RawHost& host) { return host.edges > trial.intervals(); }

uint64_t OracleBytes(const RawTrial& trial, const RawStream& stream, bool sending) {
  const RawHost& host = trial.host(sending ? stream.flow.from_host() : stream.flow.to_host());
  const int64_t begin_ns = trial.EdgeNs(host, 0);
  const int64_t end_ns = trial.EdgeNs(host, trial.intervals());
  return sending ? trial.SentBytes(stream, begin_ns, end_ns) : trial.ReceivedBytes(stream, begin_ns, end_ns);
}

void CheckStreams(const RawTrial& trial, const v1::TrialResult& result) {
  ASSERT_EQ(static_cast<size_t>(result.streams_size()), trial.streams.size());
  for (size_t i = 0; i < trial.streams.size(); ++i) {
    const RawStream& raw = trial.streams[i];
    const v1::StreamResult& stream = result.streams(static_cast<int>(i));
    EXPECT_EQ(stream.has_sent_bytes(), HasWindow(trial, trial.host(raw.flow.from_host())));
    EXPECT_EQ(stream.has_received_bytes(), HasWindow(trial, trial.host(raw.flow.to_host())));
    if (stream.has_sent_bytes()) {
      EXPECT_EQ(stream.sent_bytes(), OracleBytes(trial, raw, true));
      EXPECT_EQ(stream.sent_bytes(), Sum(stream.sent_bytes_intervals()));
    } else {
      EXPECT_EQ(stream.sent_bytes_intervals_size(), 0);
      EXPECT_FALSE(stream.has_sent_bps());
    }
    if (stream.has_received_bytes()) {
      EXPECT_EQ(stream.received_bytes(), OracleBytes(trial, raw, false));
      EXPECT_EQ(stream.received_bytes(), Sum(stream.received_bytes_intervals()));
    }
    const v1::LossCounts& loss = stream.loss();
    if (!loss.has_sent()) {
      EXPECT_NE(loss.note(), "");
      EXPECT_EQ(stream.lost_intervals_size(), 0);
      continue;
    }
    EXPECT_EQ(loss.sent(), trial.CountSent(raw));
    EXPECT_EQ(loss.lost(), trial.CountFate(raw, Fate::kLost));
    EXPECT_EQ(loss.late(), trial.CountFate(raw, Fate::kLate));
    EXPECT_EQ(loss.reordered(), trial.CountFate(raw, Fate::kReordered));
    EXPECT_EQ(loss.in_order(), trial.CountFate(raw, Fate::kInOrder));
    EXPECT_EQ(loss.in_order() + loss.reordered() + loss.late() + loss.lost(), loss.sent());
    EXPECT_EQ(Sum(stream.lost_intervals()), loss.lost());
  }
}

// The streams of an entry, of a host's side, or of all: what the level above must add up to.
void CheckTotal(const RawTrial& trial, const std::vector<const RawStream*>& streams, bool sending,
                const v1::Total& total) {
  uint64_t known = 0;
  uint32_t parts_known = 0;
  for (const RawStream* stream : streams) {
    if (!HasWindow(trial, trial.host(sending ? stream->flow.from_host() : stream->flow.to_host()))) continue;
    known += OracleBytes(trial, *stream, sending);
    ++parts_known;
  }
  EXPECT_EQ(total.parts(), streams.size());
  EXPECT_EQ(total.parts_known(), parts_known);
  EXPECT_EQ(total.known(), known);
  EXPECT_EQ(total.has_value(), parts_known == streams.size());
  if (total.has_value()) {
    EXPECT_EQ(total.value(), known);
  }
}

void CheckEntries(const RawTrial& trial, const v1::TrialResult& result) {
  size_t streams_seen = 0;
  for (const v1::EntryResult& entry : result.entries()) {
    std::vector<const RawStream*> streams;
    for (const RawStream& stream : trial.streams) {
      if (stream.flow.entry() == entry.entry() && stream.flow.reverse() == entry.reverse())
        streams.push_back(&stream);
    }
    streams_seen += streams.size();
    CheckTotal(trial, streams, true, entry.sent_bytes());
    CheckTotal(trial, streams, false, entry.received_bytes());
    if (entry.sent_bytes().has_value()) {
      EXPECT_EQ(Sum(entry.sent_bytes_intervals()), entry.sent_bytes().value());
    } else {
      EXPECT_EQ(entry.sent_bytes_intervals_size(), 0);
      EXPECT_FALSE(entry.has_sent_bps());
    }
    if (entry.received_bytes().has_value()) {
      EXPECT_EQ(Sum(entry.received_bytes_intervals()), entry.received_bytes().value());
    } else {
      EXPECT_FALSE(entry.has_received_bps());
    }
    if (entry.loss().has_lost()) {
      EXPECT_EQ(Sum(entry.lost_intervals()), entry.loss().lost());
    }
    for (const v1::CpuUse* use : {&entry.sender_cpu(), &entry.receiver_cpu(), &entry.both_ends()}) {
      EXPECT_GE(use->cores_busy(), 0);
      EXPECT_LE(use->busy_ratio(), 1);
      EXPECT_GE(use->service_demand_us_per_kb(), 0);
    }
    EXPECT_GE(entry.running_skew_ns(), 0);
    EXPECT_GE(entry.first_send_skew_ns(), 0);
    EXPECT_GE(entry.overlap_ratio(), 0);
    EXPECT_LE(entry.overlap_ratio(), 1);
  }
  EXPECT_EQ(streams_seen, trial.streams.size());
}

void CheckHosts(const RawTrial& trial, const v1::TrialResult& result) {
  ASSERT_EQ(static_cast<size_t>(result.hosts_size()), trial.hosts.size());
  for (const v1::HostResult& host : result.hosts()) {
    std::vector<const RawStream*> sent;
    std::vector<const RawStream*> received;
    for (const RawStream& stream : trial.streams) {
      if (stream.flow.from_host() == host.host()) sent.push_back(&stream);
      if (stream.flow.to_host() == host.host()) received.push_back(&stream);
    }
    EXPECT_EQ(host.has_sent_bytes(), !sent.empty());
    if (!sent.empty()) CheckTotal(trial, sent, true, host.sent_bytes());
    if (!received.empty()) CheckTotal(trial, received, false, host.received_bytes());
    uint64_t in_intervals = 0;
    for (const v1::TimelineInterval& interval : result.timeline()) {
      for (const v1::HostInterval& each : interval.hosts()) {
        if (each.host() == host.host()) in_intervals += each.sent_bytes();
      }
    }
    if (host.sent_bytes().has_value()) {
      EXPECT_EQ(in_intervals, host.sent_bytes().value());
    }
  }
}

void CheckStatus(const RawTrial& trial, const v1::TrialResult& result) {
  const bool complete = std::all_of(trial.hosts.begin(), trial.hosts.end(), [&](const RawHost& host) {
    return !host.missing && HasWindow(trial, host);
  });
  if (!complete) {
    EXPECT_TRUE(result.status() == v1::TRIAL_STATUS_PARTIAL || result.status() == v1::TRIAL_STATUS_FAILED);
    EXPECT_GT(result.reasons_size(), 0);
  } else {
    EXPECT_EQ(result.status(), v1::TRIAL_STATUS_GOOD) << result.reasons(0);
  }
}

TEST(MergePropertyTest, SumsAgreeAtEveryLevelWhateverIsMissing) {
  for (uint64_t seed = 1; seed <= kTrials; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const RawTrial trial = RandomTrial(random);
    const v1::TrialResult result = trial.Merge();
    CheckStreams(trial, result);
    CheckEntries(trial, result);
    CheckHosts(trial, result);
    CheckStatus(trial, result);
    if (HasFailure()) break;
  }
}

TEST(MergePropertyTest, TheOrderOfHostsFlowsAndReportsDoesNotMatter) {
  for (uint64_t seed = 1; seed <= kTrials; ++seed) {
    std::mt19937_64 random(seed);
    TrialInput input = RandomTrial(random).Build();
    const v1::TrialResult expected = MergeTrial(input);
    std::shuffle(input.hosts.begin(), input.hosts.end(), random);
    std::shuffle(input.flows.begin(), input.flows.end(), random);
    for (HostInput& host : input.hosts) {
      if (!host.report.has_value()) continue;
      std::shuffle(host.report->mutable_streams()->pointer_begin(),
                   host.report->mutable_streams()->pointer_end(), random);
      std::shuffle(host.report->mutable_edges()->pointer_begin(), host.report->mutable_edges()->pointer_end(),
                   random);
    }
    std::string difference;
    google::protobuf::util::MessageDifferencer differencer;
    differencer.ReportDifferencesToString(&difference);
    EXPECT_TRUE(differencer.Compare(expected, MergeTrial(input))) << "seed " << seed << "\n" << difference;
  }
}

}  // namespace
}  // namespace tutti::results
