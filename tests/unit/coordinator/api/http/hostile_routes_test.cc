// Every route of the table, and so every one that is added to it, with everything that nobody should send.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/api/http/router.h"
#include "coordinator/api/http/routes.h"
#include "tests/unit/coordinator/api/http/process_use.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using google::protobuf::FieldDescriptor;

constexpr char kWorker[] = "a";

// What a route answers where nothing is wrong, and whom it asks.
struct Honest {
  const char* operation;
  const char* body;
  int status;
  const char* asks;  // of Operations; empty: nothing
};

constexpr Honest kHonest[] = {
    {"submitRun", R"({"plan": "version: 1"})", 201, "Submit"},
    {"listRuns", "", 200, "ListRuns"},
    {"getRun", "", 200, "GetRun"},
    {"deleteRun", "", 200, "DeleteRun"},
    {"cancelRun", "", 202, "Cancel"},
    {"whyNot", "", 200, "WhyNot"},
    {"listEvents", "", 200, "ListEvents"},
    {"watchRun", "", 204, "Watch"},
    {"getResult", "", 200, "GetResult"},
    {"validatePlan", R"({"plan": "version: 1"})", 200, "ValidatePlan"},
    {"dryRunPlan", R"({"plan": "version: 1"})", 200, "DryRun"},
    {"listWorkers", "", 200, "ListWorkers"},
    {"watchWorkers", "", 200, "WatchFleet"},
    {"getWorker", "", 200, "GetWorker"},
    {"forgetWorker", "", 200, "ForgetWorker"},
    {"drainWorker", R"({"reason": "disk"})", 200, "DrainWorker"},
    {"undrainWorker", "{}", 200, "UndrainWorker"},
    {"getOpenApi", "", 200, ""},
    {"getHealth", "", 200, ""},
    {"getReadiness", "", 200, ""},
    {"getMetrics", "", 200, ""},
};

// Null: the route is new, and has no line above.
const Honest* HonestOf(const Route& route) {
  const auto found = std::find_if(std::begin(kHonest), std::end(kHonest), [&](const Honest& each) {
    return std::string(each.operation) == route.operation;
  });
  return found == std::end(kHonest) ? nullptr : found;
}

bool HasVariable(const Route& route) { return std::string(route.pattern).find('{') != std::string::npos; }

// The route's path with this in the place of its variable.
std::string PathWith(const Route& route, const std::string& value) {
  std::string path;
  for (const std::string& part : SplitPattern(route.pattern)) {
    path += "/" + (VariableOf(part).empty() ? part : value);
  }
  return path;
}

std::string HonestPath(const Route& route) {
  const bool is_run = std::string(route.pattern).find("{id}") != std::string::npos;
  return PathWith(route, is_run ? kRun : kWorker);
}

struct Hostile {
  std::string what;
  std::string text;
  int status;
  const char* code;
};

// Adds what is wrong with one route to a list.
class Attack {
 public:
  Attack(const Route& route, const Honest& honest, std::vector<Hostile>& list)
      : route_(route), honest_(honest), path_(HonestPath(route)), list_(list) {}

  void AddAll() {
    AddPaths();
    AddQueries();
    AddHeads();
    if (route_.body == BodyRule::kNone) {
      Add("a body", path_, {kJson}, "{}", 400, "invalid_argument");
      Add("a body of no known type", path_, {"Content-Type: text/plain"}, "x", 400, "invalid_argument");
    } else {
      AddBodies();
    }
  }

 private:
  void Add(const std::string& what, const std::string& target, std::vector<std::string> fields,
           const std::string& body, int status, const char* code) {
    AddText(what, RequestText(route_.method, target, fields, body), status, code);
  }
  void AddText(const std::string& what, std::string text, int status, const char* code) {
    list_.push_back({std::string(route_.operation) + ": " + what, std::move(text), status, code});
  }
  // With an honest body, if it has one.
  void AddTarget(const std::string& what, const std::string& target, int status = 400,
                 const char* code = "invalid_argument") {
    const std::string body = honest_.body;
    Add(what, target, body.empty() ? std::vector<std::string>{} : std::vector<std::string>{kJson}, body,
        status, code);
  }
  std::string Line(const std::string& target) const {
    return std::string(route_.method) + " " + target + " HTTP/1.1\r\n";
  }

  void AddPaths() {
    AddTarget("a path that goes on", path_ + "/x/y/z", 404, "not_found");
    AddTarget("a path that goes up", path_ + "/../x");
    AddTarget("a fragment", path_ + "#x");
    AddTarget("a path of 64 KiB", path_ + "/" + std::string(64 * 1024, 'x'), 414, "uri_too_long");
    AddText("a method that is none", RequestText("BREW", path_), 405, "method_not_allowed");
    if (!HasVariable(route_)) return;
    AddTarget("an empty name", PathWith(route_, ""), 404, "not_found");
    for (const char* name : {".", "..", "%2e%2e", "%00", "a%00b", "%0d%0aX:%20y", "%1b[2J", "%7f", "%ff",
                             "%c0%ae%c0%ae", "%ed%a0%80", "%", "%1", "%zz"}) {
      AddTarget(std::string("the name ") + name, PathWith(route_, name));
    }
    AddTarget("a name of 9,000 bytes", PathWith(route_, std::string(9000, 'x')), 414, "uri_too_long");
  }

  void AddQueries() {
    AddTarget("a key that is none", path_ + "?statos=1");
    AddTarget("a key that is a control character", path_ + "?%07=1");
    AddTarget("a value that is no UTF-8", path_ + "?x=%ff");
    for (const QueryKey& key : route_.query) {
      const std::string name = key.name;
      if (!key.repeated) AddTarget(name + " twice", path_ + "?" + name + "=1&" + name + "=1");
      AddTarget(name + " with a control character", path_ + "?" + name + "=%1b");
      if (key.kind == QueryKind::kText) continue;
      for (const char* wrong : {"soon", "-", "1e999", "%20", "99999999999999999999999999"}) {
        const std::string target = path_ + "?" + name + "=" + wrong;
        if (route_.body == BodyRule::kNone) {
          AddTarget(name + "=" + wrong, target);
        } else {
          Add(name + "=" + wrong, target, {kYaml}, "version: 1", 400, "invalid_argument");
        }
      }
    }
  }

  void AddHeads() {
    const std::string host = "Host: 127.0.0.1\r\n";
    AddText("no host", Line(path_) + "\r\n", 400, "invalid_argument");
    AddText("two hosts", Line(path_) + host + host + "\r\n", 400, "invalid_argument");
    AddText("another host", Line(path_) + "Host: evil.example\r\n\r\n", 403, "permission_denied");
    AddText("a page of another site", Line(path_) + host + "Origin: http://evil.example\r\n\r\n", 403,
            "permission_denied");
    AddText("a NUL in a field", Line(path_) + host + "X: a" + std::string(1, '\0') + "b\r\n\r\n", 400,
            "invalid_argument");
    AddText("a field of 64 KiB", Line(path_) + host + "X: " + std::string(64 * 1024, 'x') + "\r\n\r\n", 431,
            "header_too_large");
    AddText("a length that is none", Line(path_) + host + "Content-Length: x\r\n\r\n", 400,
            "invalid_argument");
    AddText("two lengths", Line(path_) + host + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
            "invalid_argument");
    AddText("a body of 100 MB", Line(path_) + host + kJson + "\r\nContent-Length: 104857600\r\n\r\n", 413,
            "payload_too_large");
    AddText("an unknown transfer encoding", Line(path_) + host + "Transfer-Encoding: gzip\r\n\r\n", 501,
            "unimplemented");
  }

  void AddBodies() {
    const FieldDescriptor& text = FirstText();
    const std::string key = "\"" + text.name() + "\": ";
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "{" + key;
    const std::pair<const char*, std::string> bodies[] = {
        {"no JSON", "x"},
        {"a list", "[]"},
        {"a number", "5"},
        {"an open brace", "{"},
        {"bytes behind the end", "{} {}"},
        {"a key that is none", R"({"no_such_key": 1})"},
        {"a key twice", "{" + key + "\"a\", " + key + "\"b\"}"},
        {"a number for a text", "{" + key + "5}"},
        {"a list for a text", "{" + key + "[\"a\"]}"},
        {"a text that is no UTF-8", "{" + key + "\"\xff\"}"},
        {"100,000 braces", deep},
    };
    for (const auto& [what, body] : bodies) Add(what, path_, {kJson}, body, 400, "invalid_argument");
    for (const char* type : {"Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded",
                             "Content-Type: multipart/form-data; boundary=x", "X: y"}) {
      Add(type, path_, {type}, honest_.body, 415, "unsupported_media_type");
    }
    Add("a packed body", path_, {kJson, "Content-Encoding: gzip"}, honest_.body, 415,
        "unsupported_media_type");
    Add("another expectation", path_, {kJson, "Expect: a miracle"}, honest_.body, 417, "expectation_failed");
    if (route_.body != BodyRule::kOptional) Add("no body", path_, {kJson}, "", 400, "invalid_argument");
    if (HasVariable(route_)) {
      Add("a body about something else", path_, {kJson}, "{" + key + "\"other\"}", 400, "invalid_argument");
    }
  }

  const FieldDescriptor& FirstText() const {
    for (int i = 0; i < route_.request->field_count(); ++i) {
      const FieldDescriptor& field = *route_.request->field(i);
      if (!field.is_repeated() && field.type() == FieldDescriptor::TYPE_STRING) return field;
    }
    ADD_FAILURE() << route_.operation << " has a body without a text";
    return *route_.request->field(0);
  }

  const Route& route_;
  const Honest& honest_;
  const std::string path_;
  std::vector<Hostile>& list_;
};

class HostileRoutesTest : public ServerFixture {
 protected:
  void SetUp() override {
    operations_.ended = true;  // so that a run's stream of events has an end
    options_.metrics_page = [](const std::function<void(std::string)>& done) { done("tutti_runs 3\n"); };
    StartServer();
  }
  HttpAnswer AskHonestly(const Route& route, const Honest& honest) {
    if (*honest.body == '\0') return Ask(route.method, HonestPath(route));
    return AskJson(route.method, HonestPath(route), honest.body);
  }
};

TEST_F(HostileRoutesTest, EveryRouteIsKnownHereAndAnswersWhereNothingIsWrong) {
  for (const Route& route : Routes()) {
    SCOPED_TRACE(route.operation);
    const Honest* honest = HonestOf(route);
    ASSERT_NE(honest, nullptr) << "a new route: add its line to kHonest";
    EXPECT_EQ(AskHonestly(route, *honest).status, honest->status);
    if (*honest->asks == '\0') continue;
    EXPECT_EQ(operations_.last_asked().rfind(std::string(honest->asks) + " {", 0), 0u)
        << operations_.last_asked();
  }
  EXPECT_EQ(Routes().size(), std::size(kHonest));
  EXPECT_TRUE(operations_.WaitForWatchers(0));
}

TEST_F(HostileRoutesTest, EachRouteRefusesEachWrongRequestWithItsStatusAndTheEnvelope) {
  std::vector<Hostile> list;
  for (const Route& route : Routes()) {
    const Honest* honest = HonestOf(route);
    ASSERT_NE(honest, nullptr) << route.operation;
    Attack(route, *honest, list).AddAll();
  }
  EXPECT_GT(list.size(), 20 * Routes().size());
  ASSERT_EQ(Ask("GET", "/healthz").status, 200);  // whatever is opened once is open now
  const size_t files = OpenFiles();
  const int64_t resident = ResidentBytes();
  for (const Hostile& hostile : list) {
    SCOPED_TRACE(hostile.what);
    ExpectEnvelope(SendText(hostile.text), hostile.status, hostile.code);
  }
  EXPECT_TRUE(operations_.asked().empty()) << operations_.last_asked();
  EXPECT_TRUE(ComesDownTo(files)) << OpenFiles() << " files are open, " << files << " were";
  EXPECT_LT(ResidentBytes() - resident, 48 * 1024 * 1024);
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
}

// Ids that nobody has, runs that were deleted, a coordinator that cannot: what the operations say is what the
// client gets.
TEST_F(HostileRoutesTest, EachRouteTellsWhatTheOperationsRefuse) {
  const struct {
    absl::Status error;
    int status;
    const char* code;
  } refusals[] = {
      {absl::NotFoundError("no run \"x\""), 404, "not_found"},
      {absl::FailedPreconditionError("it has not ended"), 409, "failed_precondition"},
      {absl::ResourceExhaustedError("1000 runs wait"), 429, "resource_exhausted"},
      {absl::UnavailableError("it ends"), 503, "unavailable"},
      {absl::InternalError("a \x01 and \xff of a file"), 500, "internal"},
  };
  for (const auto& refusal : refusals) {
    operations_.error = refusal.error;
    for (const Route& route : Routes()) {
      SCOPED_TRACE(route.operation);
      const Honest* honest = HonestOf(route);
      if (honest == nullptr || *honest->asks == '\0' || route.open != nullptr) continue;
      ExpectEnvelope(AskHonestly(route, *honest), refusal.status, refusal.code);
    }
  }
}

TEST_F(HostileRoutesTest, AStreamOfARunThatNobodyHasIsNotFound) {
  for (const Route& route : Routes()) {
    if (route.open == nullptr || !HasVariable(route)) continue;
    SCOPED_TRACE(route.operation);
    for (const char* name : {"run-8", "%2Fetc%2Fpasswd", "%27%20OR%201=1;--"}) {
      ExpectEnvelope(Ask(route.method, PathWith(route, name)), 404, "not_found");
    }
    ExpectEnvelope(Ask(route.method, HonestPath(route), {"Last-Event-ID: x"}), 400, "invalid_argument");
  }
}

class SlowRoutesTest : public ServerFixture {
 protected:
  void SetUp() override {
    options_.limits.arrival = std::chrono::milliseconds(300);
    StartServer();
  }
};

TEST_F(SlowRoutesTest, WhoTricklesARequestOfAnyRouteIsToldItsTimeIsOver) {
  ASSERT_EQ(Ask("GET", "/healthz").status, 200);
  const size_t files = OpenFiles();
  {
    // All at once: each waits for the same time.
    std::vector<BlockingClient> clients;
    for (const Route& route : Routes()) {
      const std::string head = RequestText(route.method, HonestPath(route));
      clients.emplace_back(port());
      clients.back().Send(head.substr(0, head.size() - 2));  // but for its last line
      if (route.body == BodyRule::kNone) continue;
      clients.emplace_back(port());
      clients.back().Send(head.substr(0, head.size() - 2) + kJson + "\r\nContent-Length: 100\r\n\r\n{");
    }
    for (BlockingClient& client : clients) {
      ExpectEnvelope(client.Read(), 408, "request_timeout");
      EXPECT_EQ(client.ReadToEnd(), "");
    }
  }
  EXPECT_TRUE(operations_.asked().empty());
  EXPECT_TRUE(ComesDownTo(files)) << OpenFiles() << " files are open, " << files << " were";
}

}  // namespace
}  // namespace tutti::http
