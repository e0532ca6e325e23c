#include "worker/load/receive_poll.h"

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

constexpr bool kFound = true;
constexpr bool kNothing = false;

bool Polls(const ReceivePoll& poll) { return poll.flags() == MSG_DONTWAIT; }

// One stretch that finds nothing: two calls, as far apart as a stretch may be.
void FailOnce(ReceivePoll& poll, int64_t& now_ns) {
  poll.Returned(kNothing, now_ns);
  now_ns += ReceivePoll::kLongestNs;
  poll.Returned(kNothing, now_ns);
}

// Blocking reads until it polls again, each of which brings something.
int ReadsUntilItPolls(ReceivePoll& poll, int64_t& now_ns) {
  int reads = 0;
  while (!Polls(poll) && reads < 1000) {
    now_ns += 100'000;
    poll.Returned(kFound, now_ns);
    ++reads;
  }
  return reads;
}

TEST(ReceivePoll, BlocksInEveryCallUnlessWanted) {
  ReceivePoll poll(false);
  for (int64_t now_ns = 0; now_ns < 100'000'000; now_ns += 50'000) {
    EXPECT_FALSE(Polls(poll));
    poll.Returned(now_ns % 100'000 == 0, now_ns);
  }
}

TEST(ReceivePoll, PollsAsLongAsItFindsSomethingInTime) {
  ReceivePoll poll(true);
  int64_t now_ns = 1'000'000;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(Polls(poll));
    poll.Returned(kNothing, now_ns);
    poll.Returned(kNothing, now_ns + ReceivePoll::kLongestNs - 1);
    EXPECT_TRUE(Polls(poll));
    poll.Returned(kFound, now_ns + 2 * ReceivePoll::kLongestNs);  // the call itself may take long
    now_ns += 100'000;
  }
}

TEST(ReceivePoll, AFailureBlocksOneReadAndTheSixteenthInARowThirtyTwo) {
  ReceivePoll poll(true);
  int64_t now_ns = 1'000'000;
  for (int failure = 1; failure <= 20; ++failure) {
    FailOnce(poll, now_ns);
    EXPECT_FALSE(Polls(poll));
    EXPECT_EQ(ReadsUntilItPolls(poll, now_ns), failure < 16 ? 1 : 32) << failure;
  }
}

TEST(ReceivePoll, AfterASuccessAFailureCountsAsTheFirst) {
  ReceivePoll poll(true);
  int64_t now_ns = 1'000'000;
  for (int i = 0; i < 20; ++i) {
    FailOnce(poll, now_ns);
    ReadsUntilItPolls(poll, now_ns);
  }
  poll.Returned(kNothing, now_ns);
  poll.Returned(kFound, now_ns + 1'000);
  for (int failure = 1; failure <= 16; ++failure) {
    FailOnce(poll, now_ns);
    EXPECT_EQ(ReadsUntilItPolls(poll, now_ns), failure < 16 ? 1 : 32) << failure;
  }
}

// What is read without having been waited for says nothing about polling.
TEST(ReceivePoll, AReadThatWasNotWaitedForIsNoSuccess) {
  ReceivePoll poll(true);
  int64_t now_ns = 1'000'000;
  for (int i = 0; i < 20; ++i) {
    FailOnce(poll, now_ns);
    ReadsUntilItPolls(poll, now_ns);
    poll.Returned(kFound, now_ns);
  }
  FailOnce(poll, now_ns);
  EXPECT_EQ(ReadsUntilItPolls(poll, now_ns), 32);
}

// A blocking call that its timeout ended brought nothing: nobody sends.
TEST(ReceivePoll, ATimeoutOfABlockingCallBringsPollingNoNearer) {
  ReceivePoll poll(true);
  int64_t now_ns = 1'000'000;
  FailOnce(poll, now_ns);
  for (int i = 0; i < 10; ++i) poll.Returned(kNothing, now_ns += 100'000'000);
  EXPECT_FALSE(Polls(poll));
  EXPECT_EQ(ReadsUntilItPolls(poll, now_ns), 1);
}

}  // namespace
}  // namespace tutti::load
