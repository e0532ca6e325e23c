#include "coordinator/store/column_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/coordinator/store/random_message.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::store {
namespace {

using google::protobuf::util::MessageDifferencer;
using tutti::v1::TrialResult;

void ExpectRoundTrip(const google::protobuf::Message& message, google::protobuf::Message& read) {
  const absl::StatusOr<std::string> packed = PackMessage(message);
  ASSERT_TRUE(packed.ok()) << packed.status();
  const absl::Status status = UnpackMessage(*packed, read);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_TRUE(MessageDifferencer::Equals(message, read));
}

TEST(ColumnCodecTest, RandomTrialsComeBackAsTheyWere) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    TrialResult trial;
    // Short lists and ones that are longer than the list that they are in.
    RandomMessages(seed).Fill(trial, seed % 2 == 0 ? 2 : 6);
    TrialResult read;
    SCOPED_TRACE(seed);
    ExpectRoundTrip(trial, read);
  }
}

TEST(ColumnCodecTest, AnEmptyMessageStaysEmpty) {
  TrialResult read;
  ExpectRoundTrip(TrialResult(), read);
}

TEST(ColumnCodecTest, WhatIsThereAndZeroIsToldFromWhatIsNotThere) {
  TrialResult trial;
  trial.add_streams()->set_sent_bytes(0);
  trial.add_streams();
  trial.add_streams()->mutable_tcp_series();
  trial.mutable_streams(1)->mutable_sender()->add_warnings("");
  TrialResult read;
  ExpectRoundTrip(trial, read);
  EXPECT_TRUE(read.streams(0).has_sent_bytes());
  EXPECT_FALSE(read.streams(1).has_sent_bytes());
  EXPECT_TRUE(read.streams(2).has_tcp_series());
  EXPECT_EQ(read.streams(1).sender().warnings_size(), 1);
}

TEST(ColumnCodecTest, ListsOfDifferentLengthsKeepTheirOrder) {
  TrialResult trial;
  for (uint32_t interval = 0; interval < 5; ++interval) {
    tutti::v1::TimelineInterval& each = *trial.add_timeline();
    each.set_index(interval);
    for (uint32_t host = 0; host < interval % 3; ++host) {
      each.add_hosts()->set_host(std::string(1, static_cast<char>('a' + host)));
      each.mutable_hosts(static_cast<int>(host))->set_sent_bytes(100 * interval + host);
    }
  }
  TrialResult read;
  ExpectRoundTrip(trial, read);
  EXPECT_EQ(read.timeline(2).hosts(1).host(), "b");
  EXPECT_EQ(read.timeline(2).hosts(1).sent_bytes(), 201u);
}

// Field numbers are all that ties columns to a schema: messages that share one read each other's.
TEST(ColumnCodecTest, FieldsThatTheReaderDoesNotKnowAreSkipped) {
  tutti::v1::SubmitRequest newer;
  newer.set_plan("run-7");
  newer.set_source_name("unknown to the reader");
  newer.add_overrides("also unknown");
  tutti::v1::CancelRequest older;
  const absl::Status status = DecodeColumns(EncodeColumns(newer), older);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(older.run_id(), "run-7");
}

TEST(ColumnCodecTest, AFieldThatHasChangedItsKindIsSkipped) {
  tutti::v1::Machine text;  // its field 2 is a text
  text.set_boot_id("b");
  tutti::v1::CpuResult number;  // its field 2 is a double
  EXPECT_TRUE(DecodeColumns(EncodeColumns(text), number).ok());
  EXPECT_EQ(number.busy_ratio(), 0);
}

TEST(ColumnCodecTest, DamagedBytesAreDataLossAndNothingElse) {
  TrialResult trial;
  RandomMessages(7).Fill(trial, 4);
  const std::string packed = *PackMessage(trial);
  for (size_t at = 0; at < packed.size(); at += 1 + packed.size() / 200) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    TrialResult read;
    const absl::Status status = UnpackMessage(damaged, read);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    }
    // A bit of the frame's header may mean nothing; what is read is right all the same.
    if (status.ok()) {
      EXPECT_TRUE(MessageDifferencer::Equals(trial, read)) << at;
    }
  }
  TrialResult read;
  EXPECT_EQ(UnpackMessage(packed.substr(0, packed.size() / 2), read).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(UnpackMessage("", read).code(), absl::StatusCode::kDataLoss);
}

TEST(ColumnCodecTest, ColumnsThatAreCutOffAnywhereAreRefused) {
  TrialResult trial;
  RandomMessages(11).Fill(trial, 2);
  const std::string bytes = EncodeColumns(trial);
  for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 300) {
    TrialResult read;
    EXPECT_EQ(DecodeColumns(std::string_view(bytes).substr(0, size), read).code(),
              absl::StatusCode::kDataLoss)
        << size;
  }
}

TEST(ColumnCodecTest, AFieldThatIsThereTwiceIsRefused) {
  tutti::v1::HostFacts facts;
  facts.set_boot_id("b");
  const std::string once = EncodeColumns(facts);
  // Its end mark is the last byte.
  const std::string field = once.substr(0, once.size() - 1);
  tutti::v1::HostFacts read;
  ASSERT_TRUE(DecodeColumns(once, read).ok());
  read.Clear();
  EXPECT_EQ(DecodeColumns(field + once, read).code(), absl::StatusCode::kDataLoss);
}

TEST(ColumnCodecTest, AFewBytesCannotMakeMoreThanTheLimits) {
  TrialResult trial;
  for (int i = 0; i < 1000; ++i) trial.add_streams();
  trial.mutable_streams(0)->mutable_sent_bytes_intervals()->Resize(5000, 7);
  const std::string bytes = EncodeColumns(trial);
  EXPECT_LT(bytes.size(), 2100u);
  TrialResult read;
  EXPECT_TRUE(DecodeColumns(bytes, read, {.messages = 1000, .elements = 5000}).ok());
  read.Clear();
  EXPECT_EQ(DecodeColumns(bytes, read, {.messages = 999, .elements = 5000}).code(),
            absl::StatusCode::kDataLoss);
  read.Clear();
  EXPECT_EQ(DecodeColumns(bytes, read, {.messages = 1000, .elements = 4999}).code(),
            absl::StatusCode::kDataLoss);
}

bool IsSentBytesIntervals(const google::protobuf::FieldDescriptor& field) {
  return field.name() == "sent_bytes_intervals";
}

// Not even a number of it is made: a limit of 0 is enough for them.
TEST(ColumnCodecTest, AFieldThatIsLeftOutIsSteppedOver) {
  TrialResult trial;
  trial.add_streams()->set_stalled_intervals(3);
  trial.mutable_streams(0)->mutable_sent_bytes_intervals()->Resize(5000, 7);
  TrialResult read;
  const absl::Status status =
      DecodeColumns(EncodeColumns(trial), read, {.messages = 1, .elements = 0}, &IsSentBytesIntervals);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(read.streams_size(), 1);
  EXPECT_EQ(read.streams(0).stalled_intervals(), 3u);
  EXPECT_EQ(read.streams(0).sent_bytes_intervals_size(), 0);
}

// Walked index by index over all rows it would take 40,000 x 40,000 steps.
TEST(ColumnCodecTest, OneLongListAmongManyEmptyOnesComesBackAsItWas) {
  constexpr int kMany = 40'000;
  TrialResult trial;
  for (int i = 0; i < kMany; ++i) trial.add_timeline();
  for (int i = 0; i < kMany; ++i) trial.mutable_timeline(kMany / 2)->add_hosts()->set_begin_trial_ns(i);
  TrialResult read;
  ExpectRoundTrip(trial, read);
}

// --- how many bytes a sample takes ----------------------------------------------------------------

constexpr int kStreams = 4;
constexpr int kIntervals = 6000;  // 600 s at 100 ms

// Counts of a rate that wanders by up to `noise` of `mean` from interval to interval, each in steps of
// `step`.
TrialResult SeriesTrial(double mean, double noise, uint64_t step) {
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> wander(1 - noise, 1 + noise);
  TrialResult trial;
  for (int stream = 0; stream < kStreams; ++stream) {
    auto& series = *trial.add_streams()->mutable_received_bytes_intervals();
    for (int i = 0; i < kIntervals; ++i) {
      series.Add(static_cast<uint64_t>(mean * wander(random)) / step * step);
    }
  }
  return trial;
}

double BytesPerSample(const TrialResult& trial) {
  return static_cast<double>(PackMessage(trial)->size()) / (kStreams * kIntervals);
}

// 1 Gbps of datagrams of 1472 B is 12.5 MB or 8492 datagrams each 100 ms. 5% are 425 of them, so neighbours
// differ by at most 850, in zigzag below 2^14: two bytes at most.
TEST(SeriesSizeTest, ACounterOfDatagramsTakesAtMostTwoBytes) {
  EXPECT_LE(BytesPerSample(SeriesTrial(12.5e6, 0.05, 1472)), 2.01);
}

// 10 Gbps of TCP is 125 MB each 100 ms, read in pieces of any size. Neighbours differ by at most 12.5 MB, in
// zigzag below 2^25: four bytes as a varint.
TEST(SeriesSizeTest, ATcpCounterAt10GbpsTakesAtMostFourBytes) {
  EXPECT_LE(BytesPerSample(SeriesTrial(125e6, 0.05, 1)), 4.0);
}

// 100 Gbps in one stream is 1.25 GB each 100 ms; at 5% neighbours differ by at most 125 MB, in zigzag below
// 2^28.
TEST(SeriesSizeTest, ATcpCounterAt100GbpsTakesAtMostFourBytes) {
  EXPECT_LE(BytesPerSample(SeriesTrial(1.25e9, 0.05, 1)), 4.0);
}

TEST(SeriesSizeTest, ACounterThatStandsStillTakesNothing) {
  EXPECT_LE(BytesPerSample(SeriesTrial(0, 0, 1)), 0.01);
}

// What repeats in every interval costs next to nothing: the names of hosts and devices, the instants of the
// grid.
TEST(SeriesSizeTest, ATimelinesNamesAndInstantsCostLessThanTheirCounters) {
  std::mt19937_64 random(1);
  TrialResult trial;
  for (int i = 0; i < kIntervals; ++i) {
    tutti::v1::TimelineInterval& interval = *trial.add_timeline();
    interval.set_index(static_cast<uint32_t>(i));
    interval.set_begin_trial_ns(int64_t{100'000'000} * i);
    interval.set_end_trial_ns(int64_t{100'000'000} * (i + 1));
    for (const char* name : {"host-with-a-long-name-1", "host-with-a-long-name-2"}) {
      tutti::v1::HostInterval& host = *interval.add_hosts();
      host.set_host(name);
      host.set_received_bytes(random() % 1'000'000);  // 20 bits: at most 2.6 bytes of information
      tutti::v1::DeviceCounters& device = *host.add_devices();
      device.set_device("enp0s31f6");
    }
  }
  // Differences of 20 bits are 21 bits with their sign, three bytes of varint each; all the rest in a tenth
  // of a byte.
  const double per_counter = static_cast<double>(PackMessage(trial)->size()) / (2.0 * kIntervals);
  EXPECT_LE(per_counter, 3.1);
}

}  // namespace
}  // namespace tutti::store
