#include "worker/load/socket_address.h"

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

TEST(SocketAddress, ReadsAndPrintsBothFamilies) {
  EXPECT_EQ(SocketAddress::Parse("10.0.0.1", 5201)->ToString(), "10.0.0.1:5201");
  EXPECT_EQ(SocketAddress::Parse("fd00::1", 80)->ToString(), "[fd00::1]:80");
  EXPECT_EQ(SocketAddress::Parse("fe80::1%lo", 80)->ToString(), "[fe80::1%lo]:80");
  EXPECT_EQ(SocketAddress().ToString(), "?");
}

TEST(SocketAddress, RefusesNamesAndNonsense) {
  for (const char* text : {"localhost", "", "10.0.0.256", "10.0.0.1:80", "[::1]", "fe80::1%nosuchdevice0"}) {
    EXPECT_EQ(SocketAddress::Parse(text, 1).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(SocketAddress, TheSameHostWhateverThePort) {
  const auto a = *SocketAddress::Parse("10.0.0.1", 1);
  EXPECT_TRUE(a.SameHost(*SocketAddress::Parse("10.0.0.1", 2)));
  EXPECT_FALSE(a.SameHost(*SocketAddress::Parse("10.0.0.2", 1)));
  EXPECT_FALSE(a.SameHost(*SocketAddress::Parse("::1", 1)));
  EXPECT_TRUE(SocketAddress::Parse("fe80::1%lo", 1)->SameHost(*SocketAddress::Parse("fe80::1", 2)));
  EXPECT_FALSE(SocketAddress().SameHost(SocketAddress()));
}

}  // namespace
}  // namespace tutti::load
