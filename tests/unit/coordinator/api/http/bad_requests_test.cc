#include <cstdint>

#include "tests/unit/coordinator/api/http/process_use.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BadRequestsTest : public ServerFixture {
 protected:
  void SetUp() override {
    options_.limits.arrival = std::chrono::milliseconds(10'000);
    StartServer();
  }
};

TEST_F(BadRequestsTest, EachStatusOfOperationsHasItsOwn) {
  const struct {
    absl::Status error;
    int status;
    const char* code;
  } cases[] = {
      {absl::InvalidArgumentError("m"), 400, "invalid_argument"},
      {absl::NotFoundError("m"), 404, "not_found"},
      {absl::AlreadyExistsError("m"), 409, "already_exists"},
      {absl::FailedPreconditionError("m"), 409, "failed_precondition"},
      {absl::ResourceExhaustedError("m"), 429, "resource_exhausted"},
      {absl::UnavailableError("m"), 503, "unavailable"},
      {absl::InternalError("m"), 500, "internal"},
  };
  for (const auto& each : cases) {
    operations_.error = each.error;
    ExpectEnvelope(Ask("GET", "/v1/runs/run-7"), each.status, each.code);
  }
}

TEST_F(BadRequestsTest, EveryErrorOfAPlanIsADetail) {
  operations_.error = absl::InvalidArgumentError("p.yaml:1:1: a\np.yaml:2:1: b");
  const HttpAnswer answer = Ask("POST", "/v1/runs", {"Content-Type: application/yaml"}, "x");
  ExpectEnvelope(answer, 400, "invalid_argument");
  EXPECT_THAT(answer.body, HasSubstr("\"details\": [\"p.yaml:1:1: a\", \"p.yaml:2:1: b\"]"));
}

TEST_F(BadRequestsTest, AnErrorAloneIsADetailToo) {
  operations_.error = absl::InvalidArgumentError("p.yaml:1:1: a");
  const HttpAnswer answer = Ask("POST", "/v1/runs", {"Content-Type: application/yaml"}, "x");
  ExpectEnvelope(answer, 400, "invalid_argument");
  EXPECT_THAT(answer.body, HasSubstr("\"message\": \"p.yaml:1:1: a\""));
  EXPECT_THAT(answer.body, HasSubstr("\"details\": [\"p.yaml:1:1: a\"]"));
}

TEST_F(BadRequestsTest, ALineThatBeginsWithABlankBelongsToTheErrorBeforeIt) {
  operations_.error = absl::FailedPreconditionError("role y: none fits\n  a: no label\n\tb: lost\nrole z: c");
  const HttpAnswer answer = Ask("POST", "/v1/runs", {"Content-Type: application/yaml"}, "x");
  ExpectEnvelope(answer, 409, "failed_precondition");
  EXPECT_THAT(answer.body, HasSubstr("\\tb: lost (and 1 more)\""));
  EXPECT_THAT(answer.body,
              HasSubstr(R"("details": ["role y: none fits\n  a: no label\n\tb: lost", "role z: c"])"));
}

TEST_F(BadRequestsTest, WhatIsNotThereIsNotFoundAndWhatIsHasItsMethods) {
  for (const char* target :
       {"/", "/v1", "/v1/", "/v1/runs/", "/v1/runs//result", "/v2/runs", "/v1/runs/a/b/c"}) {
    ExpectEnvelope(Ask("GET", target), 404, "not_found");
  }
  const HttpAnswer wrong = Ask("PUT", "/v1/runs/run-7");
  ExpectEnvelope(wrong, 405, "method_not_allowed");
  EXPECT_EQ(wrong.Field("Allow"), "GET, HEAD, DELETE, OPTIONS");
  ExpectEnvelope(Ask("BREW", "/v1/runs"), 405, "method_not_allowed");
  // An event stream has no head without a stream.
  EXPECT_EQ(Ask("HEAD", "/v1/runs/run-7/events").status, 405);
  ExpectEnvelope(Ask("DELETE", "/v1/workers/events"), 405, "method_not_allowed");
}

TEST_F(BadRequestsTest, HostileTargetsReachNothing) {
  for (const char* target :
       {"/v1/runs/%00", "/v1/runs/%zz", "/v1/runs/%1", "/v1/runs/%ff", "/v1/runs/..",
        "/v1/runs/%2e%2e/result", "/v1/runs/../../etc/passwd", "/v1/runs/%0d%0aX:%20y", "/v1/runs/%1b[2J",
        "/v1/runs?text=%07", "/v1/runs#x", "v1/runs", "/v1/runs?%0a=1", "/v1/workers/%c0%ae"}) {
    ExpectEnvelope(Ask("GET", target), 400, "invalid_argument");
  }
  EXPECT_TRUE(operations_.asked().empty());
  // Odd, but text: looked up like any other name.
  EXPECT_EQ(Ask("GET", "/v1/runs/%2Fetc%2Fpasswd").status, 200);
  EXPECT_EQ(operations_.last_asked(), "GetRun {\"run_id\":\"/etc/passwd\"}");
}

TEST_F(BadRequestsTest, QueriesAreReadStrictly) {
  const HttpAnswer unknown = Ask("GET", "/v1/runs?statos=passed");
  ExpectEnvelope(unknown, 400, "invalid_argument");
  EXPECT_THAT(unknown.body, HasSubstr("did you mean \\\"status\\\""));
  for (const char* target :
       {"/v1/runs?status=passed&status=failed", "/v1/runs?status=fine", "/v1/runs?since=soon",
        "/v1/runs?label=x", "/v1/runs?label=%3Dx", "/v1/runs?label=k=a&label=k=b", "/v1/runs?page_runs=-1",
        "/v1/runs?page_runs=many", "/v1/workers?facts=yes", "/v1/runs/run-7?x=1",
        "/v1/runs/run-7/events?after=x", "/v1/runs/run-7/result?partial=1"}) {
    ExpectEnvelope(Ask("GET", target), 400, "invalid_argument");
  }
  EXPECT_TRUE(operations_.asked().empty());
}

TEST_F(BadRequestsTest, BodiesAreReadStrictly) {
  for (const char* body :
       {"x", "[]", "{", R"({"plann": "x"})", R"({"plan": 5})", R"({"plan": "a", "plan": "b"})",
        R"({"labels": {"k": "a", "k": "b"}})", R"({"labels": {"k": 1}})", "{\"plan\": \"\xff\"}",
        R"({"max_wait_ns": 99999999999999999999})"}) {
    ExpectEnvelope(AskJson("POST", "/v1/runs", body), 400, "invalid_argument");
  }
  ExpectEnvelope(Ask("POST", "/v1/runs", {kJson}), 400, "invalid_argument");
  ExpectEnvelope(AskJson("POST", "/v1/runs?user=a", R"({"plan": "x"})"), 400, "invalid_argument");
  ExpectEnvelope(AskJson("POST", "/v1/runs/run-7/cancel", "{}"), 400, "invalid_argument");
  ExpectEnvelope(AskJson("GET", "/v1/runs", "{}"), 400, "invalid_argument");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"plan\":";
  ExpectEnvelope(AskJson("POST", "/v1/runs", deep), 400, "invalid_argument");
  EXPECT_TRUE(operations_.asked().empty());
}

TEST_F(BadRequestsTest, ABodyNeedsAnApisContentType) {
  // What a page of another site may send without asking.
  for (const char* type : {"Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded",
                           "Content-Type: multipart/form-data; boundary=x", "X: y"}) {
    ExpectEnvelope(Ask("POST", "/v1/runs", {type}, "{}"), 415, "unsupported_media_type");
  }
  ExpectEnvelope(Ask("POST", "/v1/workers/a/drain", {"Content-Type: application/yaml"}, "a: b"), 415,
                 "unsupported_media_type");
  ExpectEnvelope(Ask("POST", "/v1/runs", {kJson, "Content-Encoding: gzip"}, "{}"), 415,
                 "unsupported_media_type");
  EXPECT_EQ(
      Ask("POST", "/v1/runs", {"Content-Type: Application/JSON; charset=utf-8"}, R"({"plan": "x"})").status,
      201);
}

TEST_F(BadRequestsTest, PagesOfOtherSitesAreRefused) {
  EXPECT_EQ(SendText("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  EXPECT_EQ(SendText("GET /healthz HTTP/1.1\r\n\r\n").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/runs/run-7/cancel", {"Origin: http://evil.example"}).status, 403);
  EXPECT_EQ(Ask("POST", "/v1/runs/run-7/cancel", {"Origin: null"}).status, 403);
  EXPECT_TRUE(operations_.asked().empty());
  EXPECT_EQ(Ask("POST", "/v1/runs/run-7/cancel", {"Origin: http://127.0.0.1"}).status, 202);
}

TEST_F(BadRequestsTest, WhatIsTooLongIsRefusedByItsKind) {
  ExpectEnvelope(Ask("GET", "/v1/runs/" + std::string(9000, 'a')), 414, "uri_too_long");
  ExpectEnvelope(Ask("GET", "/" + std::string(100'000, 'a')), 414, "uri_too_long");
  ExpectEnvelope(Ask("GET", "/healthz", {"X: " + std::string(17'000, 'a')}), 431, "header_too_large");
  std::vector<std::string> many(3000, "X-Field: y");
  ExpectEnvelope(Ask("GET", "/healthz", many), 431, "header_too_large");
}

TEST_F(BadRequestsTest, FieldsThatComeOneByOneAreCountedToo) {
  BlockingClient client(port());
  client.Send("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n");
  for (int i = 0; i < 3000 && client.Send("X-Field: value\r\n"); ++i) {
  }
  ExpectEnvelope(client.Read(), 431, "header_too_large");
}

TEST_F(BadRequestsTest, ABodyOf100MegabytesIsRefusedAndNotKept) {
  constexpr size_t kTotal = 100 * 1024 * 1024;
  const std::string piece(1024 * 1024, 'x');
  const int64_t before = ResidentBytes();
  {
    BlockingClient client(port());
    client.Send(
        "POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(kTotal) + "\r\n\r\n");
    ExpectEnvelope(client.Read(), 413, "payload_too_large");
    for (size_t sent = 0; sent < kTotal && client.Send(piece); sent += piece.size()) {
    }
  }
  {
    BlockingClient client(port());
    client.Send(
        "POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "100000\r\n" + piece + "\r\n";
    for (size_t sent = 0; sent < kTotal && client.Send(chunk); sent += piece.size()) {
    }
    const HttpAnswer answer = client.Read();
    // The answer is lost where the client was still sending when the connection was given up.
    if (answer.status != 0) ExpectEnvelope(answer, 413, "payload_too_large");
  }
  EXPECT_LT(ResidentBytes() - before, 48 * 1024 * 1024);
  EXPECT_TRUE(operations_.asked().empty());
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
}

TEST_F(BadRequestsTest, WhatIsNoHttpIsTold) {
  for (const char* text :
       {"\x16\x03\x01\x02", "GET / HTTP/1.1\nHost: x\n\n", "GET\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n",
        "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"}) {
    const HttpAnswer answer = SendText(text);
    ExpectEnvelope(answer, 400, "invalid_argument");
    EXPECT_EQ(answer.Field("Connection"), "close");
  }
  EXPECT_EQ(SendText("POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n\r\n").status,
            501);
  EXPECT_EQ(Ask("POST", "/v1/runs", {kJson, "Expect: a miracle"}, R"({"plan": "x"})").status, 417);
}

class SlowClientTest : public ServerFixture {
 protected:
  void SetUp() override {
    options_.limits.arrival = std::chrono::milliseconds(100);
    options_.limits.idle = std::chrono::milliseconds(100);
    StartServer();
  }
};

TEST_F(SlowClientTest, AHeadThatDoesNotArriveIsATimeoutAndTheEnd) {
  BlockingClient client(port());
  client.Send("GET /heal");
  const HttpAnswer answer = client.Read();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, AllOf(HasSubstr("request_timeout"), HasSubstr("head")));
  EXPECT_EQ(answer.Field("Connection"), "close");
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(SlowClientTest, ABodyThatDoesNotArriveIsATimeoutAndTheEnd) {
  BlockingClient client(port());
  client.Send(
      "POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
      "Content-Length: 10\r\n\r\n{");
  const HttpAnswer answer = client.Read();
  EXPECT_EQ(answer.status, 408);
  EXPECT_THAT(answer.body, HasSubstr("body"));
  EXPECT_EQ(client.ReadToEnd(), "");
}

TEST_F(SlowClientTest, WhoSaysNothingIsLeftWithoutAWord) {
  BlockingClient silent(port());
  EXPECT_EQ(silent.ReadToEnd(), "");
  BlockingClient idle(port());
  idle.Send(RequestText("GET", "/healthz"));
  EXPECT_EQ(idle.Read().status, 200);
  EXPECT_EQ(idle.ReadToEnd(), "");
}

}  // namespace
}  // namespace tutti::http
