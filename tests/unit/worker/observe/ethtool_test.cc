// Against loopback, the one device that is everywhere: it has features and nothing else that ethtool can
// tell.
#include "worker/observe/ethtool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "worker/observe/ethtool_settings.h"
#include "worker/observe/ethtool_socket.h"

namespace tutti::observe {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Text(const absl::Status& status) { return std::string(status.message()); }

class EthtoolTest : public ::testing::Test {
 protected:
  EthtoolTest() : socket_(EthtoolSocket::Open()) { device_.set_name("lo"); }
  void SetUp() override { ASSERT_TRUE(socket_.ok()) << socket_.status(); }

  absl::StatusOr<EthtoolSocket> socket_;
  v1::HostDevice device_;
};

TEST_F(EthtoolTest, TellsTheOffloadsOfLoopback) {
  const auto names = ReadFeatureNames(*socket_, "lo");
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, Contains("rx-gro"));
  const absl::Status filled = FillOffloads(*socket_, *names, &device_);
  ASSERT_TRUE(filled.ok()) << filled;
  bool found = false;
  for (const v1::DeviceOffload& each : device_.offloads()) found = found || each.name() == "rx-gro";
  EXPECT_TRUE(found);
}

TEST_F(EthtoolTest, SaysWhatLoopbackDoesNotHave) {
  EXPECT_THAT(Text(FillRings(*socket_, &device_)),
              AllOf(HasSubstr("ETHTOOL_GRINGPARAM of lo"), HasSubstr("EOPNOTSUPP")));
  EXPECT_THAT(Text(FillCoalescing(*socket_, &device_)), HasSubstr("EOPNOTSUPP"));
  EXPECT_THAT(Text(FillChannels(*socket_, &device_)), HasSubstr("EOPNOTSUPP"));
  EXPECT_FALSE(device_.has_rings());
  EXPECT_FALSE(device_.has_coalescing());
  EXPECT_FALSE(device_.has_channels());
  const EthtoolFacts facts = ReadEthtool(*socket_, "lo");
  EXPECT_THAT(Text(facts.told), HasSubstr("EOPNOTSUPP"));
  EXPECT_EQ(facts.driver, "");
  EXPECT_FALSE(facts.speed_bps.ok());
}

TEST_F(EthtoolTest, NamesADeviceThatDoesNotExist) {
  device_.set_name("nosuchdev");
  EXPECT_THAT(Text(FillRings(*socket_, &device_)), AllOf(HasSubstr("nosuchdev"), HasSubstr("ENODEV")));
  device_.set_name("a-name-that-no-device-can-have");
  EXPECT_THAT(Text(FillRings(*socket_, &device_)), HasSubstr("too long"));
}

TEST(DecodeOffloadsTest, EachNameIsABitOfItsBlock) {
  std::vector<std::string> names(34, "not-shown");
  names[0] = "tx-scatter-gather";
  names[2] = "highdma";
  names[33] = "rx-gro";
  std::vector<ethtool_get_features_block> states(2);
  states[0].available = 0b101;
  states[0].active = 0b001;
  states[0].never_changed = 0b100;
  states[1].available = 0b01;  // of its neighbour
  states[1].active = 0b10;
  v1::HostDevice device;
  DecodeOffloads(names, states, &device);
  ASSERT_EQ(device.offloads_size(), 3);
  EXPECT_EQ(device.offloads(0).name(), "tx-scatter-gather");
  EXPECT_TRUE(device.offloads(0).enabled());
  EXPECT_EQ(device.offloads(1).name(), "rx-gro");
  EXPECT_TRUE(device.offloads(1).enabled());
  EXPECT_EQ(device.offloads(2).name(), "highdma");
  EXPECT_FALSE(device.offloads(2).enabled());
  EXPECT_THAT(device.fixed_offloads(), ElementsAre("rx-gro", "highdma"));
}

TEST(DecodeOffloadsTest, ANameWithoutAStateIsLeftOut) {
  std::vector<std::string> names(33, "not-shown");
  names[32] = "rx-gro";
  v1::HostDevice device;
  DecodeOffloads(names, std::vector<ethtool_get_features_block>(1), &device);
  EXPECT_EQ(device.offloads_size(), 0);
}

}  // namespace
}  // namespace tutti::observe
