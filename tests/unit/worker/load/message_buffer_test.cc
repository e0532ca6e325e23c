// Huge messages: their memory is filled in slices between which a stop is noticed.
#include "worker/load/message_buffer.h"

#include <algorithm>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/payload.h"

namespace tutti::load {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kMiB = 1048576;
constexpr auto kNever = [] { return false; };

TEST(MessageBuffer, IsWrittenInSlicesOfAMebibyteToTheLastByte) {
  MessageBuffer buffer;
  ASSERT_TRUE(buffer.Allocate(2 * kMiB + 5).ok());
  ASSERT_EQ(buffer.size(), 2 * kMiB + 5);
  std::vector<size_t> begins, sizes;
  EXPECT_TRUE(buffer.ForEachSlice(kNever, [&](unsigned char* slice, size_t size) {
    begins.push_back(static_cast<size_t>(slice - buffer.data()));
    sizes.push_back(size);
  }));
  EXPECT_THAT(begins, ElementsAre(0, kMiB, 2 * kMiB));
  EXPECT_THAT(sizes, ElementsAre(kMiB, kMiB, 5));
}

TEST(MessageBuffer, StopsBetweenTwoSlicesAndLeavesTheRestAlone) {
  MessageBuffer buffer;
  ASSERT_TRUE(buffer.Allocate(4 * kMiB).ok());
  buffer.data()[2 * kMiB] = 7;
  int asked = 0;
  EXPECT_FALSE(buffer.Touch([&asked] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(buffer.data()[2 * kMiB - 1], 1);
  EXPECT_EQ(buffer.data()[2 * kMiB], 7);
  asked = 2;
  EXPECT_FALSE(FillPayload(buffer, [&asked] { return ++asked == 3; }));  // at once
  EXPECT_EQ(buffer.data()[0], 1);
}

TEST(MessageBuffer, PayloadFillsOddSizesWithManyDifferentBytes) {
  for (const size_t size : {1u, 7u, 1472u, 1048583u}) {
    MessageBuffer buffer;
    ASSERT_TRUE(buffer.Allocate(size).ok());
    std::fill(buffer.data(), buffer.data() + size, 0);
    EXPECT_TRUE(FillPayload(buffer, kNever));
    const std::set<unsigned char> values(buffer.data(), buffer.data() + size);
    EXPECT_GE(values.size(), std::min<size_t>(size, 200) * 4 / 5) << size;
  }
}

TEST(MessageBuffer, WhatThereIsNoRoomForSaysWhatToDo) {
  MessageBuffer buffer;
  const absl::Status status = buffer.Allocate(uint64_t{1} << 60);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("1152921504606846976B"), HasSubstr("message_size")));
  EXPECT_EQ(buffer.size(), 0u);
}

// The filling goes on behind Prepare, and the abort comes before it has got far: no memory to speak of.
TEST(MessageBuffer, ATrialOfHugeMessagesIsPreparedAndAbortedAtOnce) {
  const HostTime begin = SystemClock::Get().Now();
  {
    auto trial = LoadTrial::Prepare(
        {End(1, Side::kSend, Protocol::kTcp, 256 * kMiB), End(2, Side::kSend, Protocol::kTcp, 256 * kMiB)},
        kShort, SystemClock::Get());
    ASSERT_TRUE(trial.ok()) << trial.status();
    (*trial)->Abort();
  }
  EXPECT_LT(SystemClock::Get().Now() - begin, 500 * kMs);
}

TEST(MessageBuffer, ConnectDoesNotEndBeforeTheBuffersAreFilled) {
  auto trial = LoadTrial::Prepare({End(1, Side::kReceive, Protocol::kUdp, 1000)}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_TRUE((*trial)->Connect({}, InNs(2000 * kMs)).ok());
  StreamConfig huge = End(1, Side::kReceive, Protocol::kUdp, 1000);
  huge.read_size_bytes = 256 * kMiB;
  trial = LoadTrial::Prepare({huge}, kShort, SystemClock::Get());
  ASSERT_TRUE(trial.ok()) << trial.status();
  const absl::Status status = (*trial)->Connect({}, InNs(0));  // a page fault for each 4 KiB takes longer
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("buffers are not filled"));
}

}  // namespace
}  // namespace tutti::load
