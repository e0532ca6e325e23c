#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/net/channels.h"

namespace tutti::net {
namespace {

using testing::HasSubstr;

TEST(EndpointTest, APortThatIsLeftOutIsTheCallers) {
  EXPECT_EQ(ParseEndpoint("127.0.0.1")->port, kDefaultPort);
  const auto endpoint = ParseEndpoint("127.0.0.1", 7118);
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->port, 7118);
  EXPECT_EQ(endpoint->target, "127.0.0.1:7118");
  EXPECT_EQ(ParseEndpoint("127.0.0.1:9000", 7118)->port, 9000);
}

TEST(EndpointTest, TakesHostAndPort) {
  const auto endpoint = ParseEndpoint("10.1.2.3:9000");
  ASSERT_TRUE(endpoint.ok()) << endpoint.status();
  EXPECT_EQ(endpoint->host, "10.1.2.3");
  EXPECT_EQ(endpoint->port, 9000);
  EXPECT_FALSE(endpoint->loopback);
  EXPECT_FALSE(endpoint->is_unix);
  EXPECT_EQ(endpoint->target, "10.1.2.3:9000");
}

TEST(EndpointTest, AMissingPortIsTheDefaultOne) {
  EXPECT_EQ(ParseEndpoint("lab-7.example")->target, "lab-7.example:7117");
  EXPECT_EQ(ParseEndpoint("[fd00::1]")->target, "[fd00::1]:7117");
  EXPECT_EQ(ParseEndpoint("fd00::1")->target, "[fd00::1]:7117");
}

TEST(EndpointTest, KnowsWhatIsLoopback) {
  for (const char* text :
       {"127.0.0.1", "127.8.9.1:1", "localhost", "localhost:5", "::1", "[::1]:80", "unix:/tmp/s"}) {
    EXPECT_TRUE(ParseEndpoint(text)->loopback) << text;
  }
  // A name may resolve to anything, and 0.0.0.0 is every address.
  for (const char* text : {"128.0.0.1", "0.0.0.0", "[::]:80", "localhost.example", "fe80::1%eth0"}) {
    EXPECT_FALSE(ParseEndpoint(text)->loopback) << text;
  }
}

TEST(EndpointTest, TakesUnixSockets) {
  const auto endpoint = ParseEndpoint("unix:/run/tutti/socket");
  ASSERT_TRUE(endpoint.ok());
  EXPECT_TRUE(endpoint->is_unix);
  EXPECT_EQ(endpoint->path, "/run/tutti/socket");
  EXPECT_EQ(endpoint->target, "unix:/run/tutti/socket");
  EXPECT_EQ(ParseEndpoint("unix:///run/x")->path, "/run/x");
}

TEST(EndpointTest, RefusesASocketPathThatTheKernelWouldCut) {
  EXPECT_TRUE(ParseEndpoint("unix:/" + std::string(106, 'x')).ok());
  const auto endpoint = ParseEndpoint("unix:/" + std::string(107, 'x'));
  ASSERT_FALSE(endpoint.ok());
  EXPECT_THAT(std::string(endpoint.status().message()), HasSubstr("at most 107 bytes"));
}

TEST(EndpointTest, RefusesWhatIsNoAddressAndSaysTheForms) {
  for (const char* text :
       {"", ":80", "host:", "host:x", "host:70000", "host:-1", "a:b:c", "[fd00::1", "[fd00::1]80",
        "[nonsense]:80", "10.0.0:80", "10.0.0.256", "http://host:80", "ho st", "unix:"}) {
    const auto endpoint = ParseEndpoint(text);
    ASSERT_FALSE(endpoint.ok()) << text;
    EXPECT_EQ(endpoint.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(endpoint.status().message()), HasSubstr("HOST:PORT")) << text;
  }
}

}  // namespace
}  // namespace tutti::net
