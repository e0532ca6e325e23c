#include "worker/observe/cpu_frequency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"

namespace tutti::observe {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCpu[] = "sys/devices/system/cpu/";

class CpuFrequencyTest : public ::testing::Test {
 protected:
  void WritePolicy(int number, const std::string& cpus, const std::string& governor) {
    const std::string folder = absl::StrCat(kCpu, "cpufreq/policy", number, "/");
    tree_.Write(folder + "affected_cpus", cpus + "\n");
    tree_.Write(folder + "scaling_governor", governor + "\n");
    tree_.Write(folder + "scaling_driver", "acpi-cpufreq\n");
  }
  void Fill() { FillCpuFrequency({tree_.path("proc"), tree_.path("sys")}, &facts_); }

  KernelTree tree_;
  v1::HostFacts facts_;
};

TEST_F(CpuFrequencyTest, CpusAreGroupedByTheirGovernor) {
  WritePolicy(0, "0 1", "performance");
  WritePolicy(2, "2", "powersave");
  WritePolicy(10, "10 3", "performance");
  Fill();
  EXPECT_EQ(facts_.frequency_driver(), "acpi-cpufreq");
  ASSERT_EQ(facts_.governors_size(), 2);
  EXPECT_EQ(facts_.governors(0).governor(), "performance");
  EXPECT_THAT(facts_.governors(0).cpus(), ElementsAre(0, 1, 3, 10));
  EXPECT_EQ(facts_.governors(1).governor(), "powersave");
  EXPECT_THAT(facts_.governors(1).cpus(), ElementsAre(2));
  EXPECT_EQ(MissingReason(facts_, "governors"), "");
}

TEST_F(CpuFrequencyTest, APolicyThatCannotBeReadLeavesTheGovernorsUnknown) {
  WritePolicy(0, "0", "performance");
  tree_.Write(std::string(kCpu) + "cpufreq/policy1/affected_cpus", "1\n");
  Fill();
  EXPECT_EQ(facts_.governors_size(), 0);
  EXPECT_THAT(MissingReason(facts_, "governors"), HasSubstr("policy1/scaling_governor"));
}

TEST_F(CpuFrequencyTest, IntelSaysThatTurboIsOff) {
  tree_.Write(std::string(kCpu) + "intel_pstate/no_turbo", "1\n");
  tree_.Write(std::string(kCpu) + "cpufreq/boost", "1\n");
  Fill();
  ASSERT_TRUE(facts_.has_turbo());
  EXPECT_FALSE(facts_.turbo());
}

TEST_F(CpuFrequencyTest, OtherDriversSayThatBoostIsOn) {
  tree_.Write(std::string(kCpu) + "cpufreq/boost", "1\n");
  Fill();
  ASSERT_TRUE(facts_.has_turbo());
  EXPECT_TRUE(facts_.turbo());
}

TEST_F(CpuFrequencyTest, AMachineWithoutFrequenciesSaysSo) {
  tree_.Write(std::string(kCpu) + "cpufreq/nothing", "");
  Fill();
  EXPECT_FALSE(facts_.has_frequency_driver());
  EXPECT_FALSE(facts_.has_turbo());
  EXPECT_EQ(facts_.governors_size(), 0);
  EXPECT_THAT(MissingReason(facts_, "frequency_driver"), HasSubstr("has no policy"));
  EXPECT_THAT(MissingReason(facts_, "governors"), HasSubstr("has no policy"));
  EXPECT_THAT(MissingReason(facts_, "turbo"),
              AllOf(HasSubstr("intel_pstate/no_turbo"), HasSubstr("cpufreq/boost"), HasSubstr("ENOENT")));
}

TEST_F(CpuFrequencyTest, AMachineWithoutTheFolderSaysSoToo) {
  Fill();
  EXPECT_THAT(MissingReason(facts_, "governors"), AllOf(HasSubstr("list "), HasSubstr("ENOENT")));
}

}  // namespace
}  // namespace tutti::observe
