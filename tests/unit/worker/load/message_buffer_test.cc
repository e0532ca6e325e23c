// Huge messages: their memory is filled in slices between which a stop is noticed.
#include "worker/load/message_buffer.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/payload.h"

namespace tutti::load {
namespace {

using ::testing::AllOf;
using ::testing::Each;
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

TEST(MessageBuffer, OfAMemoryFileHoldsWhatIsWritten) {
  MessageBuffer buffer;
  const absl::StatusOr<FileDescriptor> file = buffer.AllocateFile(kMiB + 5);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(buffer.size(), kMiB + 5);
  ASSERT_TRUE(FillPayload(buffer, kNever));
  std::vector<unsigned char> read(kMiB + 6);
  EXPECT_EQ(pread(file->get(), read.data(), read.size(), 0), static_cast<ssize_t>(kMiB + 5));
  EXPECT_TRUE(std::equal(buffer.data(), buffer.data() + buffer.size(), read.begin()));
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

// The kernel places a page where it is touched first: none may be there before the thread that uses it comes.
TEST(MessageBuffer, HasNoPageBeforeItIsTouched) {
  constexpr size_t kBytes = 64 * 1024;
  {
    MessageBuffer used;  // whose pages an allocator would hand out again
    ASSERT_TRUE(used.Allocate(kBytes).ok());
    used.Touch(kNever);
  }
  MessageBuffer buffer;
  ASSERT_TRUE(buffer.Allocate(kBytes).ok());
  std::vector<unsigned char> resident(kBytes / static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  ASSERT_EQ(mincore(buffer.data(), kBytes, resident.data()), 0);
  EXPECT_THAT(resident, Each(0));
  buffer.Touch(kNever);
  ASSERT_EQ(mincore(buffer.data(), kBytes, resident.data()), 0);
  EXPECT_THAT(resident, Each(1));
}

TEST(MessageBuffer, WhatThereIsNoRoomForSaysWhatToDo) {
  MessageBuffer buffer;
  const absl::Status status = buffer.Allocate(uint64_t{1} << 60);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("1152921504606846976B"), HasSubstr("message_size")));
  EXPECT_EQ(buffer.size(), 0u);
}

// CPU time of this process, which does not depend on what else the machine does.
int64_t CpuNs(absl::FunctionRef<void()> work) {
  const auto now_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
  };
  const int64_t begin_ns = now_ns();
  work();
  return now_ns() - begin_ns;
}

void MakeTwoHugeBuffers(bool fill) {
  std::array<MessageBuffer, 2> buffers;
  for (MessageBuffer& buffer : buffers) {
    ASSERT_TRUE(buffer.Allocate(256 * kMiB).ok());
    if (fill) buffer.Touch(kNever);
  }
}

// The filling goes on behind Prepare, and the abort comes before it has got far: no memory to speak of.
TEST(MessageBuffer, ATrialOfHugeMessagesIsPreparedAndAbortedAtOnce) {
  const int64_t empty_ns = CpuNs([] { MakeTwoHugeBuffers(false); });  // a sanitizer takes long for this alone
  const int64_t filled_ns = CpuNs([] { MakeTwoHugeBuffers(true); });
  const int64_t aborted_ns = CpuNs([] {
    auto trial = LoadTrial::Prepare(
        {End(1, Side::kSend, Protocol::kTcp, 256 * kMiB), End(2, Side::kSend, Protocol::kTcp, 256 * kMiB)},
        kShort, SystemClock::Get());
    ASSERT_TRUE(trial.ok()) << trial.status();
    (*trial)->Abort();
  });
  EXPECT_LT(aborted_ns, empty_ns + (filled_ns - empty_ns) / 2);
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
