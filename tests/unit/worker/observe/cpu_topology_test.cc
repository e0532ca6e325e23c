#include "worker/observe/cpu_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"

namespace tutti::observe {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CpuTopologyTest : public ::testing::Test {
 protected:
  void WriteCpu(uint32_t cpu, const std::string& package, const std::string& core) {
    const std::string folder = absl::StrCat("sys/devices/system/cpu/cpu", cpu, "/topology/");
    tree_.Write(folder + "physical_package_id", package + "\n");
    tree_.Write(folder + "core_id", core + "\n");
    facts_.add_online_cpus(cpu);
  }
  void Fill() { FillCpuTopology({tree_.path("proc"), tree_.path("sys")}, &facts_); }

  KernelTree tree_;
  v1::HostFacts facts_;
};

TEST_F(CpuTopologyTest, TwoPackagesOfTwoCoresWithTwoThreadsEach) {
  // Siblings are half of the CPUs apart, as on x86; core ids may have gaps.
  for (const uint32_t cpu : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u}) {
    WriteCpu(cpu, cpu % 4 < 2 ? "0" : "1", cpu % 2 == 0 ? "0" : "9");
  }
  Fill();
  ASSERT_EQ(facts_.cpu_packages_size(), 2);
  EXPECT_EQ(facts_.cpu_packages(0).id(), 0u);
  EXPECT_THAT(facts_.cpu_packages(0).cpus(), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(facts_.cpu_packages(0).core_ids(), ElementsAre(0, 9, 0, 9));
  EXPECT_EQ(facts_.cpu_packages(1).id(), 1u);
  EXPECT_THAT(facts_.cpu_packages(1).cpus(), ElementsAre(2, 3, 6, 7));
  EXPECT_EQ(facts_.missing_size(), 0);
}

TEST_F(CpuTopologyTest, OneCpuWithoutATopologyMakesItUnknown) {
  WriteCpu(0, "0", "0");
  facts_.add_online_cpus(1);
  Fill();
  EXPECT_EQ(facts_.cpu_packages_size(), 0);
  EXPECT_THAT(MissingReason(facts_, "cpu_packages"),
              AllOf(HasSubstr("cpu1/topology/physical_package_id"), HasSubstr("ENOENT")));
}

TEST_F(CpuTopologyTest, APackageThatTheFirmwareDidNotNumberIsUnknown) {
  WriteCpu(0, "-1", "0");
  Fill();
  EXPECT_EQ(facts_.cpu_packages_size(), 0);
  EXPECT_THAT(MissingReason(facts_, "cpu_packages"), HasSubstr("physical_package_id says -1"));
}

}  // namespace
}  // namespace tutti::observe
