#include "worker/observe/kernel_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KernelSettingsTest : public ::testing::Test {
 protected:
  void Fill() { FillKernelSettings({tree_.path("proc"), tree_.path("sys")}, &facts_); }

  KernelTree tree_;
  v1::HostFacts facts_;
};

TEST_F(KernelSettingsTest, AreReadAsTheKernelWritesThem) {
  tree_.Write("proc/cmdline", "root=/dev/sda1 quiet  isolcpus=2-3 \n");
  tree_.Write("sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: Retpolines\n");
  tree_.Write("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n");
  tree_.Write("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet \n");
  tree_.Write("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n");
  tree_.Write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  Fill();
  EXPECT_EQ(facts_.kernel_command_line(), "root=/dev/sda1 quiet isolcpus=2-3");
  ASSERT_EQ(facts_.mitigations_size(), 2);
  EXPECT_EQ(facts_.mitigations(0).name(), "meltdown");
  EXPECT_EQ(facts_.mitigations(0).value(), "Not affected");
  EXPECT_EQ(facts_.mitigations(1).name(), "spectre_v2");
  EXPECT_EQ(facts_.mitigations(1).value(), "Mitigation: Retpolines");
  EXPECT_EQ(facts_.clock_source(), "hpet");
  EXPECT_THAT(facts_.available_clock_sources(), ElementsAre("tsc", "hpet", "acpi_pm"));
  EXPECT_EQ(facts_.transparent_hugepages(), "madvise");
  EXPECT_EQ(facts_.missing_size(), 0);
}

TEST_F(KernelSettingsTest, WhatIsNotThereIsUnsetWithItsReason) {
  tree_.Write("proc/cmdline", "\n");
  tree_.Write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise\n");
  Fill();
  EXPECT_FALSE(facts_.has_kernel_command_line());
  EXPECT_THAT(MissingReason(facts_, "kernel_command_line"), HasSubstr("cmdline is empty"));
  EXPECT_FALSE(facts_.has_clock_source());
  EXPECT_THAT(MissingReason(facts_, "clock_source"), HasSubstr("ENOENT"));
  EXPECT_THAT(MissingReason(facts_, "available_clock_sources"), HasSubstr("ENOENT"));
  EXPECT_THAT(MissingReason(facts_, "mitigations"), HasSubstr("cpu/vulnerabilities"));
  EXPECT_FALSE(facts_.has_transparent_hugepages());
  EXPECT_THAT(MissingReason(facts_, "transparent_hugepages"), HasSubstr("says \"always madvise\""));
  EXPECT_EQ(facts_.missing_size(), 5);
}

TEST(ChosenOfTest, IsWhatStandsInBrackets) {
  EXPECT_EQ(ChosenOf("[always] madvise never"), "always");
  EXPECT_EQ(ChosenOf("always madvise [never]"), "never");
  EXPECT_EQ(ChosenOf("always"), std::nullopt);
  EXPECT_EQ(ChosenOf("a [b"), std::nullopt);
}

TEST(ReadValueTest, WritesOutWhatIsNotPrintable) {
  KernelTree tree;
  tree.Write("value", "\t4096\t131072 \x1b[2J\xFF\n");
  EXPECT_EQ(*ReadValue(tree.path("value")), "4096 131072 \\x1B[2J\\xFF");
  tree.Write("value", " \n");
  EXPECT_THAT(std::string(ReadValue(tree.path("value")).status().message()), HasSubstr("is empty"));
}

}  // namespace
}  // namespace tutti::observe
