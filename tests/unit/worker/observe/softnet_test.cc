#include "worker/observe/softnet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::observe {
namespace {

using ::testing::HasSubstr;

constexpr char kSoftirqs[] =
    "                    CPU0       CPU3\n"
    "          HI:          0          0\n"
    "      NET_TX:          7         11\n"
    "      NET_RX:     100000     200000\n";

TEST(SoftnetTest, SumsTheHexadecimalColumnsOfAllCpus) {
  const auto counters = ParseSoftnet(
      "000000ff 00000001 00000010 00000000 00000000\n"
      "00000001 00000002 00000020 00000000 00000000\n",
      kSoftirqs);
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_EQ(counters->processed(), 256u);
  EXPECT_EQ(counters->dropped(), 3u);
  EXPECT_EQ(counters->time_squeeze(), 48u);
  EXPECT_EQ(counters->net_rx(), 300'000u);
  EXPECT_EQ(counters->net_tx(), 18u);
}

TEST(SoftnetTest, ATextWithoutTheCountersIsRefused) {
  EXPECT_FALSE(ParseSoftnet("", kSoftirqs).ok());
  EXPECT_FALSE(ParseSoftnet("000000ff 00000001\n", kSoftirqs).ok());
  EXPECT_FALSE(ParseSoftnet("000000ff zz 00000010\n", kSoftirqs).ok());
  const auto without_kinds = ParseSoftnet("1 1 1\n", "CPU0\n HI: 0\n");
  EXPECT_THAT(std::string(without_kinds.status().message()), HasSubstr("NET_RX"));
}

TEST(SoftnetTest, ReadsThisMachine) {
  const auto reader = SoftnetReader::Open();
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto first = (*reader)->Read();
  const auto second = (*reader)->Read();
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_GE(second->processed(), first->processed());
}

}  // namespace
}  // namespace tutti::observe
