#include "worker/observe/cpu_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/worker/observe/kernel_tree.h"

namespace tutti::observe {
namespace {

// Moves on by a fixed step with every look.
class SteppingClock final : public Clock {
 public:
  explicit SteppingClock(int64_t step_ns) : step_ns_(step_ns) {}
  HostTime Now() const override { return {now_ns_ += step_ns_}; }

 private:
  mutable int64_t now_ns_ = 0;
  const int64_t step_ns_;
};

KernelRoots RootsOf(const KernelTree& tree) { return {tree.path("proc"), tree.path("sys")}; }

TEST(CpuReaderTest, StatesTheMiddleOfTheReadingAndHalfItsLength) {
  KernelTree tree;
  tree.Write("proc/stat", "cpu0 1 2 3 4\nintr 0\n");
  const SteppingClock clock(1000);
  auto reader = CpuReader::Open(RootsOf(tree), clock);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto reading = (*reader)->Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->host_ns(), 1500);
  EXPECT_EQ(reading->uncertainty_ns(), 500);
}

TEST(CpuReaderTest, ReadsTheFileAnewEachTime) {
  KernelTree tree;
  tree.Write("proc/stat", "cpu0 1 2 3 4\nintr 0\n");
  auto reader = CpuReader::Open(RootsOf(tree), SystemClock::Get());
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE((*reader)->Read().ok());
  tree.Write("proc/stat", "cpu0 1 2 3 7\ncpu4 1 2 3 4\nintr 0\n");
  const auto second = (*reader)->Read();
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->cpus_size(), 2);
  EXPECT_EQ(second->cpus(1).cpu(), 4u);
}

TEST(CpuReaderTest, SumsTheResidencyOfAllIdleStates) {
  KernelTree tree;
  tree.Write("proc/stat", "cpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 0\n");
  tree.Write("sys/devices/system/cpu/cpu0/cpuidle/state0/time", "5\n");
  tree.Write("sys/devices/system/cpu/cpu0/cpuidle/state1/time", "7000\n");
  auto reader = CpuReader::Open(RootsOf(tree), SystemClock::Get());
  ASSERT_TRUE(reader.ok());
  const auto reading = (*reader)->Read();
  ASSERT_TRUE(reading.ok());
  EXPECT_EQ(reading->cpus(0).cpuidle_ns(), 7'005'000u);
  EXPECT_FALSE(reading->cpus(1).has_cpuidle_ns());
  const auto without = (*reader)->Read(CpuReader::Idle::kStatOnly);
  EXPECT_FALSE(without->cpus(0).has_cpuidle_ns());
}

TEST(CpuReaderTest, LeavesResidencyUnsetWhenOneStateCannotBeRead) {
  KernelTree tree;
  tree.Write("proc/stat", "cpu0 1 2 3 4\nintr 0\n");
  tree.Write("sys/devices/system/cpu/cpu0/cpuidle/state0/time", "5\n");
  tree.Write("sys/devices/system/cpu/cpu0/cpuidle/state1/time", "broken\n");
  auto reader = CpuReader::Open(RootsOf(tree), SystemClock::Get());
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE((*reader)->Read()->cpus(0).has_cpuidle_ns());
}

TEST(CpuReaderTest, ReadsAFileThatIsLargerThanItsFirstBuffer) {
  KernelTree tree;
  std::string text = "cpu  0 0 0 0\n";
  for (int cpu = 0; cpu < 4096; ++cpu) text += "cpu" + std::to_string(cpu) + " 1 2 3 4 5 6 7 8 9 10\n";
  tree.Write("proc/stat", text + "intr 0\n");
  auto reader = CpuReader::Open(RootsOf(tree), SystemClock::Get());
  ASSERT_TRUE(reader.ok());
  const auto reading = (*reader)->Read();
  ASSERT_TRUE(reading.ok()) << reading.status();
  EXPECT_EQ(reading->cpus_size(), 4096);
}

TEST(CpuReaderTest, SaysWhichFileIsMissing) {
  const auto reader = CpuReader::Open({"/nonexistent", "/nonexistent"}, SystemClock::Get());
  EXPECT_EQ(reader.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(reader.status().message().find("/nonexistent/stat"), absl::string_view::npos);
}

TEST(CpuReaderTest, ReadsThisMachine) {
  auto reader = CpuReader::Open({}, SystemClock::Get());
  ASSERT_TRUE(reader.ok());
  const int64_t before = SystemClock::Get().Now().ns;
  const auto reading = (*reader)->Read();
  ASSERT_TRUE(reading.ok());
  EXPECT_GT(reading->cpus_size(), 0);
  EXPECT_GT(reading->cpus(0).idle_ns(), 0u);
  EXPECT_GE(reading->host_ns(), before);
  EXPECT_LE(reading->host_ns(), SystemClock::Get().Now().ns);
}

}  // namespace
}  // namespace tutti::observe
