// Ways to send and receive: what the kernel does not have together is refused, with what to write instead.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string WaysEntry(const std::string& lines) { return "    " + lines + "\n"; }

std::string Refusal(const std::string& lines, const std::string& protocol) {
  return Errors(MinimalPlan(WaysEntry(lines), "", protocol));
}

tutti::v1::Ways WaysOf(const std::string& lines, const std::string& protocol) {
  const LoadedPlan loaded = LoadPlan(MinimalPlan(WaysEntry(lines), "", protocol), "p.yaml", {});
  EXPECT_TRUE(loaded.errors.empty()) << Refusal(lines, protocol);
  return loaded.errors.empty() ? loaded.plan.cases(0).traffic(0).ways() : tutti::v1::Ways();
}

TEST(CheckWays, TakesEveryWayOfItsProtocol) {
  for (const char* lines :
       {"send: write", "send: sendmmsg", "send: gso", "send: zerocopy", "receive: recvmmsg", "receive: gro",
        "discard: true", "batch: 8\n    receive: recvmmsg"}) {
    EXPECT_EQ(Refusal(lines, "udp"), "") << lines;
  }
  for (const char* lines : {"send: write", "send: sendfile", "send: zerocopy", "discard: true"}) {
    EXPECT_EQ(Refusal(lines, "tcp"), "") << lines;
  }
}

TEST(CheckWays, RefusesTheOtherProtocolsWaysAtTheirPlace) {
  EXPECT_THAT(
      Refusal("send: sendmmsg", "tcp"),
      HasSubstr("p.yaml:11:11: traffic[0].send: sendmmsg is UDP's: write send: write, or protocol: udp"));
  EXPECT_THAT(Refusal("send: gso", "tcp"), HasSubstr("gso is UDP's"));
  EXPECT_THAT(Refusal("receive: recvmmsg", "tcp"), HasSubstr("recvmmsg is UDP's: write receive: read"));
  EXPECT_THAT(Refusal("receive: gro", "tcp"), HasSubstr("gro is UDP's: write receive: read"));
  EXPECT_THAT(Refusal("send: sendfile", "udp"), HasSubstr("sendfile is TCP's"));
}

TEST(CheckWays, SaysTheLargestBatchOfGso) {
  EXPECT_EQ(Refusal("send: gso\n    batch: 44", "udp"), "");
  EXPECT_THAT(
      Refusal("send: gso\n    batch: 45", "udp"),
      AllOf(HasSubstr("traffic[0].batch"), HasSubstr("45 segments of 1472B"), HasSubstr("at most 44")));
  EXPECT_EQ(Refusal("send: gso\n    message_size: 64B\n    batch: 64", "udp"), "");
  EXPECT_THAT(Refusal("send: gso\n    message_size: 64B\n    batch: 65", "udp"), HasSubstr("at most 64"));
  EXPECT_EQ(WaysOf("send: gso", "udp").batch(), 44u);
  EXPECT_EQ(WaysOf("send: gso\n    message_size: 64B", "udp").batch(), 64u);
  EXPECT_EQ(WaysOf("send: gso\n    message_size: 65507B", "udp").batch(), 1u);
  EXPECT_EQ(WaysOf("send: sendmmsg", "udp").batch(), 32u);
  EXPECT_EQ(WaysOf("send: write", "udp").batch(), 1u);
}

TEST(CheckWays, RefusesABatchThatNoCallHas) {
  EXPECT_THAT(Refusal("batch: 8", "udp"), HasSubstr("each call moves one message: remove batch"));
  EXPECT_THAT(Refusal("batch: 8\n    send: zerocopy\n    receive: gro", "udp"),
              HasSubstr("each call moves one message"));
  EXPECT_THAT(Refusal("batch: 1025\n    send: sendmmsg", "udp"), HasSubstr("1024"));
}

TEST(CheckWays, RefusesADiscardThatWouldLoseHeaders) {
  EXPECT_THAT(Refusal("discard: true\n    receive: gro", "udp"), HasSubstr("would be dropped too"));
  EXPECT_THAT(Refusal("discard: true\n    message_size: 23B", "udp"), HasSubstr("nothing behind a header"));
  EXPECT_THAT(Refusal("discard: true\n    read_size: 2KiB", "udp"), HasSubstr("remove read_size"));
  EXPECT_EQ(Refusal("discard: true\n    read_size: 2KiB", "tcp"), "");
}

TEST(CheckWays, RefusesReadSizesThatAWayCannotUse) {
  EXPECT_THAT(Refusal("receive: gro\n    read_size: 32KiB", "udp"), HasSubstr("write at least 64KiB"));
  EXPECT_EQ(Refusal("receive: gro\n    read_size: 64KiB", "udp"), "");
  EXPECT_THAT(Refusal("receive: recvmmsg\n    batch: 1024\n    read_size: 1MiB", "udp"),
              HasSubstr("1024 buffers of 1MiB"));
}

TEST(CheckWays, AReceiverBlocksUnlessThePlanSaysPoll) {
  for (const char* protocol : {"tcp", "udp"}) {
    EXPECT_EQ(WaysOf("discard: false", protocol).receive_wait(), tutti::v1::RECEIVE_WAIT_BLOCK);
    EXPECT_EQ(WaysOf("receive_wait: poll", protocol).receive_wait(), tutti::v1::RECEIVE_WAIT_POLL);
  }
  EXPECT_THAT(Refusal("receive_wait: spin", "udp"), HasSubstr("traffic[0].receive_wait"));
}

TEST(CheckWays, RefusesWaysOfRequestResponse) {
  EXPECT_THAT(Refusal("request_response: {}\n    send: gso", "udp"), HasSubstr("write send: write"));
  EXPECT_THAT(Refusal("request_response: {}\n    discard: true", "tcp"), HasSubstr("remove it"));
}

}  // namespace
}  // namespace tutti::plan
