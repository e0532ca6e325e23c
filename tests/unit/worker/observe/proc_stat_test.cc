#include "worker/observe/proc_stat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti::observe {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kHz = 100;  // one tick is 10 ms

v1::CpuReading MustParse(const std::string& text, int64_t hz = kHz) {
  auto reading = ParseProcStat(text, hz);
  EXPECT_TRUE(reading.ok()) << reading.status();
  return reading.ok() ? *reading : v1::CpuReading();
}

TEST(ProcStatTest, ReadsEveryColumnOfACpu) {
  const auto reading = MustParse(
      "cpu  99 99 99 99 99 99 99 99 99 99\n"
      "cpu0 1 2 3 4 5 6 7 8 9 10\n"
      "intr 1 2 3\n");
  ASSERT_EQ(reading.cpus_size(), 1);
  const v1::CpuTimes& cpu = reading.cpus(0);
  EXPECT_EQ(cpu.cpu(), 0u);
  EXPECT_EQ(cpu.user_ns(), 10'000'000u);
  EXPECT_EQ(cpu.nice_ns(), 20'000'000u);
  EXPECT_EQ(cpu.system_ns(), 30'000'000u);
  EXPECT_EQ(cpu.idle_ns(), 40'000'000u);
  EXPECT_EQ(cpu.iowait_ns(), 50'000'000u);
  EXPECT_EQ(cpu.irq_ns(), 60'000'000u);
  EXPECT_EQ(cpu.softirq_ns(), 70'000'000u);
  EXPECT_EQ(cpu.steal_ns(), 80'000'000u);
  EXPECT_EQ(cpu.guest_ns(), 90'000'000u);
  EXPECT_EQ(cpu.guest_nice_ns(), 100'000'000u);
  EXPECT_FALSE(cpu.has_cpuidle_ns());
}

TEST(ProcStatTest, KeepsSparseIdsInTheirOrder) {
  const auto reading = MustParse(
      "cpu  6 0 0 6\n"
      "cpu17 3 0 0 3\n"
      "cpu2 2 0 0 2\n"
      "cpu5 1 0 0 1\n");
  ASSERT_EQ(reading.cpus_size(), 3);
  EXPECT_EQ(reading.cpus(0).cpu(), 2u);
  EXPECT_EQ(reading.cpus(1).cpu(), 5u);
  EXPECT_EQ(reading.cpus(2).cpu(), 17u);
  EXPECT_EQ(reading.cpus(2).idle_ns(), 30'000'000u);
}

TEST(ProcStatTest, ReadsMoreThanAThousandCpus) {
  std::string text = "cpu  0 0 0 0\n";
  for (int cpu = 0; cpu < 1536; ++cpu) {
    text += "cpu" + std::to_string(cpu) + " 0 0 0 " + std::to_string(cpu) + " 0 0 0 0 0 0\n";
  }
  const auto reading = MustParse(text + "intr 0\n");
  ASSERT_EQ(reading.cpus_size(), 1536);
  EXPECT_EQ(reading.cpus(1535).cpu(), 1535u);
  EXPECT_EQ(reading.cpus(1535).idle_ns(), 15'350'000'000u);
}

TEST(ProcStatTest, LeavesTheColumnsOfNewerKernelsAtZeroWhereTheyAreMissing) {
  const auto reading = MustParse("cpu  1 1 1 1\ncpu0 1 2 3 4\n");
  EXPECT_EQ(reading.cpus(0).idle_ns(), 40'000'000u);
  EXPECT_EQ(reading.cpus(0).steal_ns(), 0u);
}

TEST(ProcStatTest, IgnoresColumnsOfKernelsToCome) {
  const auto reading = MustParse("cpu0 1 2 3 4 5 6 7 8 9 10 11 12\n");
  EXPECT_EQ(reading.cpus(0).guest_nice_ns(), 100'000'000u);
}

TEST(ProcStatTest, PassesOnACounterThatStepsBack) {
  EXPECT_EQ(MustParse("cpu0 5 0 0 900\n").cpus(0).idle_ns(), 9'000'000'000u);
  EXPECT_EQ(MustParse("cpu0 5 0 0 899\n").cpus(0).idle_ns(), 8'990'000'000u);
}

TEST(ProcStatTest, ConvertsOtherTickRatesWithoutRoundingUp) {
  EXPECT_EQ(MustParse("cpu0 1 0 0 1024\n", 1024).cpus(0).idle_ns(), 1'000'000'000u);
  EXPECT_EQ(MustParse("cpu0 1 0 0 1\n", 1024).cpus(0).idle_ns(), 976'562u);
}

TEST(ProcStatTest, RefusesWhatIsNotProcStat) {
  for (const char* text : {"", "intr 5\n", "cpu  1 2 3 4\n", "cpu0 1 2 3\n", "cpux 1 2 3 4\n",
                           "cpu0 1 -2 3 4\n", "cpu0 1 2 3 4x\n", "cpu0 1 2 3 99999999999999999999999\n"}) {
    const auto reading = ParseProcStat(text, kHz);
    EXPECT_EQ(reading.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(reading.status().message()), HasSubstr("/proc/stat")) << text;
  }
  EXPECT_FALSE(ParseProcStat("cpu0 1 2 3 4\n", 0).ok());
}

TEST(ProcStatTest, RefusesACpuThatIsListedTwice) {
  const auto reading = ParseProcStat("cpu1 1 2 3 4\ncpu1 1 2 3 4\n", kHz);
  EXPECT_THAT(std::string(reading.status().message()), HasSubstr("cpu1 is listed twice"));
}

TEST(HasAllCpuLinesTest, NeedsALineBehindTheCpus) {
  EXPECT_FALSE(HasAllCpuLines("cpu  1 2 3 4\ncpu0 1 2"));
  EXPECT_FALSE(HasAllCpuLines("cpu  1 2 3 4\ncpu0 1 2 3 4\n"));
  EXPECT_FALSE(HasAllCpuLines("cpu  1 2 3 4\ncpu0 1 2 3 4\nin"));
  EXPECT_TRUE(HasAllCpuLines("cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 8"));
  EXPECT_TRUE(HasAllCpuLines("cpu  1 2 3 4\ncpu0 1 2 3 4\nintr 8 9\nctxt"));
}

}  // namespace
}  // namespace tutti::observe
