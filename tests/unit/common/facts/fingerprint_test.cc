#include "common/facts/fingerprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "common/facts/fact_difference.h"
#include "tests/unit/common/facts/filled_facts.h"

namespace tutti {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every device of them has hardware behind it.
bool ChangesByItself(const std::string& path) {
  return path == "boot_id" || absl::StartsWith(path, "addresses#") ||
         absl::StrContains(path, "interrupt_affinities");
}

bool IsAboutOtherFacts(const std::string& path) {
  return path == "fingerprint" || absl::StartsWith(path, "missing#");
}

TEST(FingerprintTest, IsFnv1aOverTheListOfFacts) {
  v1::HostFacts facts;
  facts.set_kernel_release("6.1");
  v1::NamedValue* sysctl = facts.add_sysctls();
  sysctl->set_name("net.core.rmem_max");
  sysctl->set_value("212992");
  // Computed by another program over kernel_release, max_open_files, may_force_buffers, rmem_max_bytes, the
  // sysctl and wmem_max_bytes, each with its value, a zero byte behind each text.
  EXPECT_EQ(FingerprintOf(facts), "b6dfe8c78969a88b");
}

TEST(FingerprintTest, AnyFactThatLastsChangesItAndTheOthersDoNot) {
  v1::HostFacts facts = FilledFacts();
  const v1::HostFacts before = facts;
  const std::string fingerprint = FingerprintOf(facts);
  int changes = 0;
  ForEachChange(facts, "", [&](const std::string& path) {
    ++changes;
    const bool lasting = !ChangesByItself(path) && !IsAboutOtherFacts(path);
    EXPECT_EQ(FingerprintOf(facts) != fingerprint, lasting) << path;
    const auto differences = CompareFacts(before, facts);
    EXPECT_EQ(differences.empty(), IsAboutOtherFacts(path)) << path;
    const bool counted = std::any_of(differences.begin(), differences.end(),
                                     [](const FactDifference& each) { return each.in_fingerprint; });
    EXPECT_EQ(counted, lasting) << path;
  });
  EXPECT_GT(changes, 100);
  EXPECT_EQ(FingerprintOf(facts), fingerprint);
}

TEST(FingerprintTest, TheOrderInWhichTheKernelListsThingsDoesNotMatter) {
  v1::HostFacts facts = FilledFacts();
  const std::string fingerprint = FingerprintOf(facts);
  facts.mutable_devices()->SwapElements(0, 1);
  facts.mutable_sysctls()->SwapElements(0, 1);
  facts.mutable_addresses()->SwapElements(0, 1);
  facts.mutable_devices(0)->mutable_offloads()->SwapElements(0, 1);
  EXPECT_EQ(FingerprintOf(facts), fingerprint);
}

TEST(FingerprintTest, WhatIsNotKnownDiffersFromZeroAndReasonsDoNotMatter) {
  v1::HostFacts unknown;
  v1::HostFacts zero;
  zero.add_devices()->set_name("eth0");
  zero.mutable_devices(0)->set_has_hardware(true);
  unknown = zero;
  zero.mutable_devices(0)->set_tx_queue_packets(0);
  EXPECT_NE(FingerprintOf(unknown), FingerprintOf(zero));
  const std::string fingerprint = FingerprintOf(unknown);
  unknown.add_missing()->set_fact("devices[eth0].tx_queue_packets");
  EXPECT_EQ(FingerprintOf(unknown), fingerprint);
}

TEST(FactDifferenceTest, EqualFactsDifferInNothing) {
  EXPECT_THAT(CompareFacts(FilledFacts(), FilledFacts()), IsEmpty());
}

TEST(FactDifferenceTest, ShowsBothValuesAndWhyOneIsNotKnown) {
  v1::HostFacts first;
  v1::HostFacts second;
  first.set_clock_source("tsc");
  second.set_clock_source("hpet");
  first.set_turbo(true);
  v1::HostDevice* eth0 = first.add_devices();
  eth0->set_name("eth0");
  eth0->set_has_hardware(true);
  *second.add_devices() = *eth0;
  eth0->mutable_rings()->set_rx(512);
  v1::MissingFact* missing = second.add_missing();
  missing->set_fact("devices[eth0].rings");
  missing->set_reason("EOPNOTSUPP");
  const auto differences = CompareFacts(first, second);
  ASSERT_EQ(differences.size(), 6u);
  EXPECT_EQ(differences[0].path, "clock_source");
  EXPECT_EQ(differences[0].first, "tsc");
  EXPECT_EQ(differences[0].second, "hpet");
  EXPECT_TRUE(differences[0].in_fingerprint);
  EXPECT_EQ(differences[1].path, "devices[eth0].rings.rx");
  EXPECT_EQ(differences[1].first, "512");
  EXPECT_EQ(differences[1].second, std::nullopt);
  EXPECT_EQ(differences[1].first_reason, "");
  EXPECT_EQ(differences[1].second_reason, "EOPNOTSUPP");
  EXPECT_THAT(differences[4].path, HasSubstr("rings.tx_max"));
  EXPECT_EQ(differences[5].path, "turbo");
  EXPECT_EQ(differences[5].second, std::nullopt);
  EXPECT_EQ(differences[5].second_reason, "");
}

TEST(FactDifferenceTest, ADeviceThatLostItsAddressStillCounts) {
  v1::HostFacts with;
  with.add_devices()->set_name("bond0");
  v1::HostFacts without = with;
  with.mutable_devices(0)->set_mtu_bytes(9000);
  v1::HostAddress* address = with.add_addresses();
  address->set_address("10.0.0.1");
  address->set_device("bond0");
  for (const auto& differences : {CompareFacts(with, without), CompareFacts(without, with)}) {
    const auto mtu = std::find_if(differences.begin(), differences.end(), [](const FactDifference& each) {
      return each.path == "devices[bond0].mtu_bytes";
    });
    ASSERT_NE(mtu, differences.end());
    EXPECT_TRUE(mtu->in_fingerprint);
  }
}

}  // namespace
}  // namespace tutti
