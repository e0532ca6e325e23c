#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class ConnectionTest : public ServerFixture {};

TEST_F(ConnectionTest, RequestsThatComeTogetherAreAnsweredInTheirOrder) {
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/v1/runs/run-7") + RequestText("GET", "/nowhere") +
              RequestText("POST", "/v1/runs", {"Content-Type: application/yaml"}, "version: 1") +
              RequestText("GET", "/healthz"));
  EXPECT_EQ(client.Read().status, 200);
  EXPECT_EQ(client.Read().status, 404);
  EXPECT_EQ(client.Read().status, 201);
  EXPECT_THAT(client.Read().body, HasSubstr("\"ok\""));
}

TEST_F(ConnectionTest, AConnectionIsKeptUnlessItsClientWantsItClosed) {
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/healthz"));
  EXPECT_EQ(client.Read().Field("Connection"), "keep-alive");
  client.Send(RequestText("GET", "/healthz", {"Connection: close"}));
  EXPECT_EQ(client.Read().Field("Connection"), "close");
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(ConnectionTest, Http10IsAnsweredAndClosedUnlessItAsksForMore) {
  StartServer();
  BlockingClient client(port());
  client.Send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), EndsWith("\"ok\"\n}\n"));
  BlockingClient kept(port());
  kept.Send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(kept.Read().Field("Connection"), "keep-alive");
  kept.Send("GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_EQ(kept.Read().Field("Connection"), "close");
}

TEST_F(ConnectionTest, ABodyInChunksIsOneBody) {
  StartServer();
  BlockingClient client(port());
  client.Send(
      "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  client.Send("8\r\n{\"plan\":\r\n");
  client.Send("a;name=value\r\n \"version\"\r\n1\r\n}\r\n0\r\nX-Trailer: y\r\n\r\n");
  client.Send(RequestText("GET", "/healthz"));
  EXPECT_EQ(client.Read().status, 201);
  EXPECT_THAT(operations_.last_asked(), HasSubstr("\"plan\":\"version\""));
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(ConnectionTest, AClientThatAsksBeforeItSendsIsToldToGoOn) {
  StartServer();
  BlockingClient client(port());
  const std::string body = "version: 1 #" + std::string(1'500'000, 'x');
  client.Send(
      "POST /v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/yaml\r\n"
      "Expect: 100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send(body);
  EXPECT_EQ(client.Read().status, 201);
}

TEST_F(ConnectionTest, AClientWhoseBodyIsNotWantedIsToldInsteadOfAsked) {
  StartServer();
  BlockingClient client(port());
  client.Send(
      "POST /v1/nowhere HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  const HttpAnswer answer = client.Read();
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.Field("Connection"), "close");
}

TEST_F(ConnectionTest, ARequestMayArriveByteByByte) {
  StartServer();
  BlockingClient client(port());
  for (const char c : RequestText("POST", "/v1/runs", {"Content-Type: application/yaml"}, "version: 1")) {
    ASSERT_TRUE(client.Send(std::string(1, c)));
  }
  EXPECT_EQ(client.Read().status, 201);
  EXPECT_THAT(operations_.last_asked(), HasSubstr("\"plan\":\"version: 1\""));
}

TEST_F(ConnectionTest, ALargeAnswerArrivesWhole) {
  for (int i = 0; i < 20'000; ++i) operations_.result.add_reasons(std::string(100, 'r'));
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/v1/runs/run-7/result"));
  const HttpAnswer answer = client.Read();
  EXPECT_GT(answer.body.size(), 2'000'000u);
  EXPECT_TRUE(report::ParseJson(answer.body).ok());
}

TEST_F(ConnectionTest, MoreConnectionsThanAreTakenAreTurnedAway) {
  options_.limits.connections = 1;
  StartServer();
  BlockingClient first(port());
  first.Send(RequestText("GET", "/healthz"));
  EXPECT_EQ(first.Read().status, 200);
  BlockingClient second(port());
  const HttpAnswer answer = second.Read();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.Field("Retry-After"), "5");
  first.Send(RequestText("GET", "/healthz"));
  EXPECT_EQ(first.Read().status, 200);
}

TEST_F(ConnectionTest, AnAnswerThatIsOnItsWayIsWaitedForAtTheEnd) {
  operations_.hold = true;
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/v1/runs/run-7"));
  ASSERT_TRUE(operations_.WaitForAsked("GetRun"));
  std::thread end([this] { server_ = nullptr; });
  operations_.Release();
  EXPECT_EQ(client.Read().status, 200);
  end.join();
}

TEST_F(ConnectionTest, AnAnswerThatComesAfterTheServersEndGoesNowhere) {
  operations_.hold = true;
  options_.limits.last_writes = std::chrono::milliseconds(50);
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/v1/runs/run-7"));
  ASSERT_TRUE(operations_.WaitForAsked("GetRun"));
  server_ = nullptr;
  EXPECT_EQ(client.ReadToEnd(), "");
  operations_.Release();
}

class ListeningTest : public ServerFixture {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-http-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    server_ = nullptr;
    rmdir(folder_.c_str());
  }
  static bool Exists(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0;
  }
  absl::Status TryToListen(const std::string& address, bool insecure = false) {
    HttpOptions options;
    options.listen = {address};
    options.insecure = insecure;
    return HttpServer::Start(options, operations_).status();
  }
  std::string folder_;
};

TEST_F(ListeningTest, AUnixSocketIsServedLockedAndRemoved) {
  const std::string path = folder_ + "/s";
  options_.listen = {"unix:" + path};
  StartServer();
  BlockingClient client(path);
  client.Send("GET /healthz HTTP/1.1\r\nHost: whatever\r\n\r\n");
  EXPECT_EQ(client.Read().status, 200);
  const absl::Status second = TryToListen("unix:" + path);
  EXPECT_EQ(second.code(), absl::StatusCode::kAlreadyExists) << second;
  server_ = nullptr;
  EXPECT_FALSE(Exists(path));
  EXPECT_FALSE(Exists(path + ".lock"));
}

TEST_F(ListeningTest, ASocketThatAKilledDaemonLeftIsTaken) {
  const std::string path = folder_ + "/s";
  {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    close(fd);
  }
  ASSERT_TRUE(Exists(path));
  options_.listen = {"unix:" + path};
  StartServer();
  EXPECT_NE(BlockingClient(path).fd(), -1);
}

TEST_F(ListeningTest, AddressesAreRefusedAsForGrpc) {
  StartServer();
  const std::string used = server_->bound()[0].target;
  const absl::Status taken = TryToListen(used);
  EXPECT_EQ(taken.code(), absl::StatusCode::kAlreadyExists) << taken;
  EXPECT_THAT(std::string(taken.message()), HasSubstr(used));
  EXPECT_EQ(TryToListen("0.0.0.0:0").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(TryToListen("0.0.0.0:0", true).ok());
  EXPECT_FALSE(TryToListen("192.0.2.1:0", true).ok());  // TEST-NET-1, RFC 5737
  EXPECT_EQ(TryToListen("a b").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(TryToListen("unix:" + folder_ + "/none/s").ok());
}

}  // namespace
}  // namespace tutti::http
