#include "worker/session/outbox.h"

#include <gtest/gtest.h>

#include <set>

#include "worker/session/backoff.h"
#include "worker/session/device_shortfall.h"

namespace tutti::session {
namespace {

v1::WorkerMessage IdleOf(uint64_t id) {
  v1::WorkerMessage message;
  message.mutable_idle()->set_trial_id(id);
  return message;
}

v1::WorkerMessage EmptyProgress() {
  v1::WorkerMessage message;
  message.mutable_progress();
  return message;
}

v1::WorkerMessage ClockReply(uint64_t sequence) {
  v1::WorkerMessage message;
  message.mutable_clock_reply()->set_sequence(sequence);
  return message;
}

TEST(OutboxTest, ClockRepliesOvertakeEverythingElse) {
  Outbox outbox;
  ASSERT_TRUE(outbox.Push(IdleOf(1)));
  ASSERT_TRUE(outbox.Push(ClockReply(5)));
  ASSERT_TRUE(outbox.Push(IdleOf(2)));
  ASSERT_TRUE(outbox.Push(ClockReply(6)));
  EXPECT_EQ(outbox.Pop()->clock_reply().sequence(), 5u);
  EXPECT_EQ(outbox.Pop()->clock_reply().sequence(), 6u);
  EXPECT_EQ(outbox.Pop()->idle().trial_id(), 1u);
  EXPECT_EQ(outbox.Pop()->idle().trial_id(), 2u);
  EXPECT_FALSE(outbox.Pop().has_value());
}

TEST(OutboxTest, DropsProgressBeforeAnythingThatMatters) {
  Outbox outbox;
  for (size_t i = 0; i < Outbox::kMaxProgress + 10; ++i) ASSERT_TRUE(outbox.Push(EmptyProgress()));
  ASSERT_TRUE(outbox.Push(IdleOf(1)));
  size_t progress = 0;
  while (const auto message = outbox.Pop()) {
    if (message->has_progress()) ++progress;
    if (message->has_idle()) {
      EXPECT_TRUE(outbox.empty());
    }
  }
  EXPECT_EQ(progress, Outbox::kMaxProgress);
}

// It would leave a gap.
TEST(OutboxTest, DropsNoProgressThatHasANumber) {
  Outbox outbox;
  for (size_t i = 1; i <= Outbox::kMaxProgress + 10; ++i) {
    v1::WorkerMessage message = EmptyProgress();
    message.set_sequence(i);
    ASSERT_TRUE(outbox.Push(message));
  }
  uint64_t popped = 0;
  while (const auto message = outbox.Pop()) EXPECT_EQ(message->sequence(), ++popped);
  EXPECT_EQ(popped, Outbox::kMaxProgress + 10);
}

TEST(OutboxTest, IsBounded) {
  Outbox outbox;
  for (size_t i = 0; i < Outbox::kMaxMessages; ++i) ASSERT_TRUE(outbox.Push(IdleOf(i)));
  EXPECT_FALSE(outbox.Push(IdleOf(0)));
  EXPECT_TRUE(outbox.Push(ClockReply(0)));
}

TEST(BackoffTest, DoublesUpToItsBoundAndStartsAgain) {
  Backoff backoff(7);
  for (const int64_t ceiling_ms : {100, 200, 400, 800, 1600, 2000, 2000, 2000}) {
    const int64_t delay_ns = backoff.NextDelayNs();
    EXPECT_GE(delay_ns, ceiling_ms * 500'000);
    EXPECT_LE(delay_ns, ceiling_ms * 1'000'000);
  }
  backoff.Reset();
  EXPECT_LE(backoff.NextDelayNs(), 100'000'000);
}

TEST(BackoffTest, WorkersDoNotComeBackTogether) {
  std::set<int64_t> delays;
  for (uint64_t seed = 0; seed < 20; ++seed) delays.insert(Backoff(seed).NextDelayNs());
  EXPECT_GT(delays.size(), 15u);
}

v1::DeviceCounters Counters(const char* device, uint64_t rx, uint64_t tx) {
  v1::DeviceCounters counters;
  counters.set_device(device);
  counters.set_rx_bytes(rx);
  counters.set_tx_bytes(tx);
  return counters;
}

TEST(DeviceShortfallTest, ComparesTheGainWithThePayload) {
  const auto begin = std::vector<v1::DeviceCounters>{Counters("eth0", 1000, 5000)};
  EXPECT_FALSE(CountersFallShort({{"eth0", {100, 200}}}, begin, {Counters("eth0", 1200, 5100)}));
  EXPECT_TRUE(CountersFallShort({{"eth0", {100, 200}}}, begin, {Counters("eth0", 1199, 5100)}));
  EXPECT_TRUE(CountersFallShort({{"eth0", {100, 200}}}, begin, {Counters("eth0", 1200, 5099)}));
  EXPECT_TRUE(CountersFallShort({{"eth0", {1, 0}}}, begin, {Counters("eth0", 0, 0)}));
}

TEST(DeviceShortfallTest, DoesNotJudgeWhatItCannotSee) {
  const auto begin = std::vector<v1::DeviceCounters>{Counters("eth0", 0, 0)};
  EXPECT_FALSE(CountersFallShort({{"eth1", {100, 0}}}, begin, {Counters("eth0", 0, 0)}));
  EXPECT_FALSE(CountersFallShort({{"eth0", {100, 0}}}, begin, {}));
  EXPECT_FALSE(CountersFallShort({}, begin, begin));
}

}  // namespace
}  // namespace tutti::session
