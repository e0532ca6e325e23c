#include "coordinator/results/cpu.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/nanoseconds.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

v1::CpuTimes& AddCpu(v1::CpuReading& reading, uint32_t id, uint64_t idle_ms) {
  v1::CpuTimes& cpu = *reading.add_cpus();
  cpu.set_cpu(id);
  cpu.set_idle_ns(idle_ms * kMs);
  return cpu;
}

v1::CpuReading At(int64_t ms) {
  v1::CpuReading reading;
  reading.set_host_ns(ms * kMs);
  return reading;
}

TEST(CpuTest, BusyIsElapsedMinusIdleIowaitAndStealWhateverTheTickColumnsSay) {
  v1::CpuReading begin = At(1000);
  v1::CpuReading end = At(3000);
  AddCpu(begin, 0, 500);
  v1::CpuTimes& cpu = AddCpu(end, 0, 1000);  // 500 ms idle of 2000 ms
  cpu.set_iowait_ns(200 * kMs);
  cpu.set_steal_ns(100 * kMs);
  cpu.set_system_ns(30 * kMs);  // the tick saw next to nothing of 1200 ms
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0.6);
  EXPECT_DOUBLE_EQ(machine.busy_ratio(), 0.6);
  EXPECT_DOUBLE_EQ(machine.iowait_cores(), 0.1);
  EXPECT_DOUBLE_EQ(machine.steal_cores(), 0.05);
  EXPECT_EQ(machine.elapsed_ns(), 2000 * kMs);
  EXPECT_EQ(machine.resolution_ns(), 10 * kMs);
  EXPECT_FALSE(machine.from_cpuidle());
}

TEST(CpuTest, SharesComeFromTheTickColumnsAndGuestIsInsideUser) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0);
  v1::CpuTimes& cpu = AddCpu(end, 0, 0);
  cpu.set_user_ns(400 * kMs);
  cpu.set_guest_ns(300 * kMs);
  cpu.set_nice_ns(100 * kMs);
  cpu.set_system_ns(200 * kMs);
  cpu.set_irq_ns(100 * kMs);
  cpu.set_softirq_ns(200 * kMs);
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_DOUBLE_EQ(machine.shares().user(), 0.4);
  EXPECT_DOUBLE_EQ(machine.shares().nice(), 0.1);
  EXPECT_DOUBLE_EQ(machine.shares().system(), 0.2);
  EXPECT_DOUBLE_EQ(machine.shares().irq(), 0.1);
  EXPECT_DOUBLE_EQ(machine.shares().softirq(), 0.2);
  EXPECT_DOUBLE_EQ(machine.guest_cores(), 0.3);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 1.0);
}

TEST(CpuTest, SparseCpusKeepTheirNumbers) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  for (const uint32_t id : {0u, 7u, 4000u}) {
    AddCpu(begin, id, 0);
    AddCpu(end, id, id == 4000 ? 0 : 1000);
  }
  const v1::MachineResult machine = CpuBetween(begin, end);
  ASSERT_EQ(machine.per_cpu_size(), 3);
  EXPECT_EQ(machine.per_cpu(2).cpu(), 4000u);
  EXPECT_DOUBLE_EQ(machine.per_cpu(2).busy_ratio(), 1);
  EXPECT_DOUBLE_EQ(machine.per_cpu(0).busy_ratio(), 0);
  EXPECT_DOUBLE_EQ(machine.cpus(), 3);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 1);
}

TEST(CpuTest, ACpuCountsOnlyWhileItIsOnline) {
  v1::CpuReading first = At(0);
  v1::CpuReading second = At(1000);
  v1::CpuReading third = At(2000);
  AddCpu(first, 0, 0);
  AddCpu(second, 0, 1000);
  AddCpu(third, 0, 2000);
  AddCpu(first, 1, 0);
  AddCpu(second, 1, 0);  // busy for the first second, then gone
  const v1::MachineResult machine = CpuOver({&first, &second, &third});
  EXPECT_DOUBLE_EQ(machine.cpus(), 1.5);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0.5);
  EXPECT_DOUBLE_EQ(machine.busy_ratio(), 1.0 / 3);
}

TEST(CpuTest, ACpuThatCameWithinTheSpanDoesNotCount) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0);
  AddCpu(end, 0, 1000);
  AddCpu(end, 1, 17);
  EXPECT_DOUBLE_EQ(CpuBetween(begin, end).cpus(), 1);
  EXPECT_DOUBLE_EQ(CpuBetween(begin, end).cores_busy(), 0);
}

TEST(CpuTest, ACounterThatStepsBackCountsAsZero) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 700).set_iowait_ns(500 * kMs);
  AddCpu(end, 0, 900).set_iowait_ns(400 * kMs);
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0.8);
  EXPECT_DOUBLE_EQ(machine.iowait_cores(), 0);
}

TEST(CpuTest, CpuidleIsUsedWithinTwoTicksOfTheIdleColumns) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0).set_cpuidle_ns(0);
  AddCpu(end, 0, 500).set_cpuidle_ns(512 * kMs);
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_TRUE(machine.from_cpuidle());
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0.488);
  EXPECT_EQ(machine.resolution_ns(), 1'000);
}

TEST(CpuTest, CpuidleThatLagsBehindIsNotUsed) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0).set_cpuidle_ns(0);
  AddCpu(end, 0, 1000).set_cpuidle_ns(400 * kMs);
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_FALSE(machine.from_cpuidle());
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0);
}

TEST(CpuTest, ErrorsOfResolutionCancelOverTheCpusInsteadOfAddingUp) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(100);
  AddCpu(begin, 0, 0);
  AddCpu(end, 0, 110);  // one tick too many
  AddCpu(begin, 1, 0);
  AddCpu(end, 1, 90);  // one too few
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0);
  EXPECT_DOUBLE_EQ(machine.per_cpu(0).busy_ratio(), 0);
}

TEST(CpuTest, AColumnThatGrowsByFarMoreThanTimeLeavesNoFigure) {
  for (const uint64_t grown_ms : {3'001ull, 1'000'000ull, 9'223'372'036'854ull, 18'446'744'073'708ull}) {
    v1::CpuReading begin = At(0);
    v1::CpuReading end = At(1000);
    AddCpu(begin, 0, 0);
    AddCpu(end, 0, 500).set_steal_ns(grown_ms * kMs);
    std::string why;
    EXPECT_EQ(CpuBetween(begin, end, &why).elapsed_ns(), 0) << grown_ms;
    EXPECT_EQ(why, "a column of CPU 0 grew by far more than the time that passed");
  }
  // Twice the second that passed, and one more, may be the kernel's way to book.
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0);
  AddCpu(end, 0, 3000);
  EXPECT_EQ(CpuBetween(begin, end).elapsed_ns(), 1000 * kMs);
}

TEST(CpuTest, ResidencyBeyondAllUseIsNotUsed) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0).set_cpuidle_ns(0);
  AddCpu(end, 0, 500).set_cpuidle_ns(UINT64_MAX);
  const v1::MachineResult machine = CpuBetween(begin, end);
  EXPECT_FALSE(machine.from_cpuidle());
  EXPECT_DOUBLE_EQ(machine.cores_busy(), 0.5);
}

TEST(CpuTest, ACpuThatIsThereTwiceLeavesNoFigure) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 0);
  AddCpu(end, 0, 500);
  AddCpu(end, 0, 500);
  std::string why;
  EXPECT_EQ(CpuBetween(begin, end, &why).elapsed_ns(), 0);
  EXPECT_EQ(why, "a reading has one of its CPUs twice");
}

TEST(CpuTest, IdleWentBackWhereItIsMoreThanATick) {
  v1::CpuReading begin = At(0);
  v1::CpuReading end = At(1000);
  AddCpu(begin, 0, 500);
  v1::CpuTimes& cpu = AddCpu(end, 0, 490);
  EXPECT_FALSE(IdleWentBack(begin, end));
  cpu.set_idle_ns(490 * kMs - 1);
  EXPECT_TRUE(IdleWentBack(begin, end));
  cpu.set_cpu(1);
  EXPECT_FALSE(IdleWentBack(begin, end));
}

TEST(CpuTest, ReadingsThatDoNotMoveForwardGiveNothing) {
  v1::CpuReading begin = At(1000);
  AddCpu(begin, 0, 0);
  EXPECT_EQ(CpuBetween(begin, begin).elapsed_ns(), 0);
  EXPECT_EQ(CpuOver({&begin}).elapsed_ns(), 0);
  EXPECT_EQ(CpuOver({}).per_cpu_size(), 0);
}

}  // namespace
}  // namespace tutti::results
