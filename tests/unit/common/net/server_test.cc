#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "common/net/channels.h"

namespace tutti::net {
namespace {

using testing::HasSubstr;

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-net-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    unlink((folder_ + "/s").c_str());
    unlink((folder_ + "/s.lock").c_str());
    rmdir(folder_.c_str());
  }
  std::string Socket() const { return "unix:" + folder_ + "/s"; }
  static bool Exists(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0;
  }
  static absl::StatusOr<Server> Listen(const std::string& address, bool insecure = false) {
    ServerOptions options;
    options.listen = {address};
    options.insecure = insecure;
    return StartServer(options);
  }
  static bool Connects(const std::string& address) {
    const auto channel = MakeChannel(*ParseEndpoint(address), {});
    return (*channel)->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(5));
  }
  std::string folder_;
};

TEST_F(ServerTest, ListensOnAUnixSocketAndLeavesNothing) {
  {
    const auto server = Listen(Socket());
    ASSERT_TRUE(server.ok()) << server.status();
    EXPECT_TRUE(Connects(Socket()));
    EXPECT_FALSE(server->insecure);
  }
  EXPECT_FALSE(Exists(folder_ + "/s.lock"));
  EXPECT_FALSE(Exists(folder_ + "/s"));
}

TEST_F(ServerTest, DoesNotTakeOverTheSocketOfALiveDaemon) {
  const auto first = Listen(Socket());
  ASSERT_TRUE(first.ok());
  const auto second = Listen(Socket());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()),
              testing::AllOf(HasSubstr(folder_ + "/s"), HasSubstr("process " + std::to_string(getpid()))));
  EXPECT_TRUE(Connects(Socket()));
}

TEST_F(ServerTest, TakesASocketThatAKilledDaemonLeft) {
  std::ofstream(folder_ + "/s") << "";
  std::ofstream(folder_ + "/s.lock") << "12345";
  // A file that is no socket is not gRPC's to remove.
  unlink((folder_ + "/s").c_str());
  const auto server = Listen(Socket());
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE(Connects(Socket()));
}

TEST_F(ServerTest, AUsedPortIsAnErrorThatNamesIt) {
  const auto first = Listen("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_GT(first->bound[0].port, 0);
  const std::string address = "127.0.0.1:" + std::to_string(first->bound[0].port);
  EXPECT_EQ(first->bound[0].target, address);
  const auto second = Listen(address);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()),
              testing::AllOf(HasSubstr(address), HasSubstr("EADDRINUSE")));
}

TEST_F(ServerTest, AnAddressOfAnotherHostIsAnErrorThatNamesIt) {
  const auto server = Listen("192.0.2.1:7117", true);  // TEST-NET-1, RFC 5737
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("listen on 192.0.2.1:7117"));
}

TEST_F(ServerTest, RefusesPlainTextBeyondLoopbackUnlessItIsNamed) {
  const auto refused = Listen("0.0.0.0:0");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--insecure"));

  const auto allowed = Listen("0.0.0.0:0", true);
  ASSERT_TRUE(allowed.ok()) << allowed.status();
  EXPECT_TRUE(allowed->insecure);
}

TEST_F(ServerTest, InsecureIsNotSaidOfLoopback) {
  const auto server = Listen("127.0.0.1:0", true);
  ASSERT_TRUE(server.ok());
  EXPECT_FALSE(server->insecure);
}

TEST_F(ServerTest, ChannelsRefusePlainTextBeyondLoopbackUnlessItIsNamed) {
  const Endpoint far = *ParseEndpoint("192.0.2.1");
  EXPECT_EQ(MakeChannel(far, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(MakeChannel(far, {.insecure = true}).ok());
}

TEST_F(ServerTest, AFolderThatDoesNotExistIsNamed) {
  const auto server = Listen("unix:" + folder_ + "/none/s");
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("ENOENT"));
}

TEST_F(ServerTest, WithoutAnAddressThereIsNothingToListenOn) {
  EXPECT_EQ(StartServer({}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tutti::net
