#include "coordinator/api/http/routes.h"

#include <functional>
#include <string>
#include <utility>

#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class RoutesTest : public ServerFixture {
 protected:
  void SetUp() override { StartServer(); }
};

TEST_F(RoutesTest, AYamlPlanIsSubmittedWithWhatTheQuerySays) {
  const HttpAnswer answer =
      Ask("POST",
          "/v1/runs?set=repeat%3D3&set=a%3Db&label=commit=abc&label=url=http://x/?y&user=ci&name=gate.yaml"
          "&max_wait=2h",
          {kYaml, "Idempotency-Key: build-7"}, "version: 1\n");
  EXPECT_EQ(answer.status, 201);
  EXPECT_EQ(answer.Field("Location"), "/v1/runs/run-7");
  EXPECT_EQ(answer.Field("Content-Type"), "application/json");
  EXPECT_THAT(answer.body, AllOf(HasSubstr("\"run_id\": \"run-7\""), HasSubstr("\"repeated_key\": false")));
  EXPECT_THAT(operations_.last_asked(),
              AllOf(StartsWith("Submit "), HasSubstr("\"plan\":\"version: 1\\n\""),
                    HasSubstr("\"source_name\":\"gate.yaml\""),
                    HasSubstr("\"overrides\":[\"repeat=3\",\"a=b\"]"), HasSubstr("\"user\":\"ci\""),
                    HasSubstr("\"idempotency_key\":\"build-7\""), HasSubstr("\"max_wait_ns\":7200000000000"),
                    HasSubstr("\"labels\":{\"commit\":\"abc\",\"url\":\"http://x/?y\"}")));
}

TEST_F(RoutesTest, AJsonSubmissionIsTheMessage) {
  const HttpAnswer answer =
      AskJson("POST", "/v1/runs", R"({"plan": "version: 1", "labels": {"a": "b"}, "max_wait_ns": 5})");
  EXPECT_EQ(answer.status, 201);
  EXPECT_THAT(operations_.last_asked(),
              AllOf(HasSubstr("\"plan\":\"version: 1\""), HasSubstr("{\"a\":\"b\"}"),
                    HasSubstr("\"max_wait_ns\":5"), HasSubstr("\"idempotency_key\":\"\"")));
}

TEST_F(RoutesTest, ARepeatedKeyIsNoCreation) {
  operations_.submitted.set_repeated_key(true);
  EXPECT_EQ(Ask("POST", "/v1/runs", {kYaml}, "version: 1").status, 200);
}

TEST_F(RoutesTest, TwoKeysThatDifferAreRefused) {
  const HttpAnswer answer = Ask("POST", "/v1/runs", {"Content-Type: application/json", "Idempotency-Key: a"},
                                R"({"plan": "x", "idempotency_key": "b"})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_TRUE(operations_.asked().empty());
}

TEST_F(RoutesTest, AKeyIsGivenOnceAndIsNotEmpty) {
  const HttpAnswer two =
      Ask("POST", "/v1/runs", {kYaml, "Idempotency-Key: a", "Idempotency-Key: a"}, "version: 1");
  EXPECT_EQ(two.status, 400);
  EXPECT_THAT(two.body, HasSubstr("this one has more"));
  const HttpAnswer empty = Ask("POST", "/v1/runs", {kYaml, "Idempotency-Key:"}, "version: 1");
  EXPECT_EQ(empty.status, 400);
  EXPECT_THAT(empty.body, HasSubstr("Idempotency-Key is empty"));
  EXPECT_TRUE(operations_.asked().empty());
}

TEST_F(RoutesTest, RunsAreListedByEveryCondition) {
  operations_.runs.add_runs()->set_run_id("run-1");
  const HttpAnswer answer =
      Ask("GET",
          "/v1/runs?status=limit_failed&plan=p&label=k=v&since=2026-11-30T14:05:00Z&until=2026-12-01&text=t"
          "&page_runs=7&page_token=x&host=a&fingerprint=f0&kernel=6.18*");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("\"run_id\": \"run-1\""));
  // date -u -d 2026-11-30T14:05:00Z +%s; date -u -d 2026-12-01 +%s
  EXPECT_THAT(
      operations_.last_asked(),
      AllOf(StartsWith("ListRuns "), HasSubstr("\"status\":\"limit_failed\""),
            HasSubstr("\"plan_name\":\"p\""), HasSubstr("{\"k\":\"v\"}"),
            HasSubstr("\"since_unix_ns\":1796047500000000000"),
            HasSubstr("\"until_unix_ns\":1796083200000000000"), HasSubstr("\"text\":\"t\""),
            HasSubstr("\"page_runs\":7"), HasSubstr("\"page_token\":\"x\""), HasSubstr("\"host\":\"a\""),
            HasSubstr("\"fingerprint\":\"f0\""), HasSubstr("\"kernel\":\"6.18*\"")));
}

TEST_F(RoutesTest, ARunIsShownCancelledExplainedAndDeleted) {
  EXPECT_THAT(Ask("GET", "/v1/runs/run-7").body, HasSubstr("\"state\": \"running\""));
  EXPECT_EQ(Ask("POST", "/v1/runs/run-7/cancel").status, 202);
  EXPECT_EQ(operations_.last_asked(), "Cancel {\"run_id\":\"run-7\"}");
  operations_.why_not.set_summary("host7 runs RUN-41");
  EXPECT_THAT(Ask("GET", "/v1/runs/run-7/why-not").body, HasSubstr("host7 runs RUN-41"));
  EXPECT_THAT(Ask("GET", "/v1/runs/run-7/history").body, HasSubstr("\"events\": []"));
  EXPECT_EQ(operations_.last_asked(), "ListEvents {\"run_id\":\"run-7\"}");
  EXPECT_EQ(Ask("DELETE", "/v1/runs/run-7").status, 200);
  EXPECT_EQ(operations_.last_asked(), "DeleteRun {\"run_id\":\"run-7\"}");
}

TEST_F(RoutesTest, ARunsNameIsDecodedAndOnlyLookedUp) {
  Ask("GET", "/v1/runs/a%2Fb%20%C3%A9");
  EXPECT_EQ(operations_.last_asked(), "GetRun {\"run_id\":\"a/b \xC3\xA9\"}");
}

TEST_F(RoutesTest, AResultComesInEveryFormatWithItsType) {
  const std::pair<const char*, const char*> formats[] = {
      {"", "application/json"},
      {"?format=yaml", "application/yaml"},
      {"?format=csv", "text/csv; charset=utf-8"},
      {"?format=csv:stream", "text/csv; charset=utf-8"},
      {"?format=junit", "application/xml"},
      {"?format=table", "text/plain; charset=utf-8"},
  };
  for (const auto& [query, type] : formats) {
    const HttpAnswer answer = Ask("GET", std::string("/v1/runs/run-7/result") + query);
    EXPECT_EQ(answer.status, 200) << query;
    EXPECT_EQ(answer.Field("Content-Type"), type) << query;
    EXPECT_FALSE(answer.body.empty()) << query;
  }
  // The last was the table, which shows no intervals.
  EXPECT_THAT(operations_.last_asked(), HasSubstr("\"without_intervals\":true"));
  const HttpAnswer json = Ask("GET", "/v1/runs/run-7/result?format=json");
  EXPECT_THAT(operations_.last_asked(), HasSubstr("\"without_intervals\":false"));
  const absl::StatusOr<tutti::v1::Result> read = report::ParseJson(json.body);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->run_id(), "run-7");
  const HttpAnswer unknown = Ask("GET", "/v1/runs/run-7/result?format=pdf");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("junit"));
}

TEST_F(RoutesTest, ARunThatGoesOnHasNoResultUnlessPartOfItWillDo) {
  operations_.result.set_status(tutti::v1::RUN_STATUS_RUNNING);
  const HttpAnswer answer = Ask("GET", "/v1/runs/run-7/result");
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("\"code\": \"not_ended\""));
  EXPECT_EQ(Ask("GET", "/v1/runs/run-7/result?partial=true").status, 200);
}

TEST_F(RoutesTest, PlansAreValidatedAndPlaced) {
  operations_.validated.add_errors("plan.yaml:1:1: wrong");
  const HttpAnswer answer = Ask("POST", "/v1/plans/validate?name=my.yaml", {kYaml}, "version: 2");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body,
              AllOf(HasSubstr("\"valid\": false"), HasSubstr("1:1: wrong"), HasSubstr("\"plan\": null")));
  EXPECT_THAT(operations_.last_asked(), HasSubstr("\"source_name\":\"my.yaml\""));
  EXPECT_EQ(AskJson("POST", "/v1/plans/dry-run", R"({"plan": "p", "overrides": ["x=1"]})").status, 200);
  EXPECT_THAT(operations_.last_asked(), AllOf(StartsWith("DryRun "), HasSubstr("[\"x=1\"]")));
}

TEST_F(RoutesTest, WorkersAreListedShownDrainedAndForgotten) {
  EXPECT_THAT(Ask("GET", "/v1/workers").body, HasSubstr("\"name\": \"a\""));
  EXPECT_EQ(operations_.last_asked(), "ListWorkers {\"without_facts\":true}");
  Ask("GET", "/v1/workers?facts=true");
  EXPECT_EQ(operations_.last_asked(), "ListWorkers {\"without_facts\":false}");
  EXPECT_EQ(Ask("GET", "/v1/workers/a").status, 200);
  EXPECT_EQ(AskJson("POST", "/v1/workers/a/drain", R"({"reason": "disk", "user": "bob"})").status, 200);
  EXPECT_EQ(operations_.last_asked(), R"(DrainWorker {"name":"a","reason":"disk","user":"bob"})");
  EXPECT_EQ(Ask("POST", "/v1/workers/a/drain").status, 200);
  EXPECT_EQ(operations_.last_asked(), R"(DrainWorker {"name":"a","reason":"","user":""})");
  EXPECT_EQ(AskJson("POST", "/v1/workers/a/drain", R"({"name": "b"})").status, 400);
  EXPECT_EQ(Ask("POST", "/v1/workers/a/undrain").status, 200);
  EXPECT_EQ(Ask("DELETE", "/v1/workers/a").status, 200);
  EXPECT_EQ(operations_.last_asked(), R"(ForgetWorker {"name":"a"})");
}

TEST_F(RoutesTest, HealthIsOfTheProcessAndReadinessOfTheQueue) {
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
  EXPECT_EQ(Ask("GET", "/readyz").status, 200);
  server_->SetReady(false);
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
  const HttpAnswer answer = Ask("GET", "/readyz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("\"code\": \"unavailable\""));
}

TEST_F(RoutesTest, WithoutAMetricsPageThereIsNone) { EXPECT_EQ(Ask("GET", "/metrics").status, 404); }

TEST_F(RoutesTest, HeadIsGetWithoutTheBody) {
  BlockingClient client(port());
  client.Send(RequestText("HEAD", "/v1/runs/run-7") + RequestText("GET", "/healthz"));
  const HttpAnswer head = client.Read(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.Field("Content-Length"), "0");
  // What follows is the next answer and no body.
  EXPECT_THAT(client.Read().body, HasSubstr("\"status\": \"ok\""));
  client.Send(RequestText("HEAD", "/nowhere") + RequestText("GET", "/healthz"));
  EXPECT_EQ(client.Read(true).status, 404);
  EXPECT_EQ(client.Read().status, 200);
}

TEST_F(RoutesTest, OptionsListTheMethods) {
  const HttpAnswer answer = Ask("OPTIONS", "/v1/runs");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.Field("Allow"), "POST, GET, HEAD, OPTIONS");
  // No page of another site may use the API: nothing is said of that.
  EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
  EXPECT_EQ(Ask("OPTIONS", "*").status, 204);
}

class MetricsTest : public ServerFixture {};

TEST_F(MetricsTest, ThePageIsServedAsPrometheusExpectsIt) {
  options_.metrics_page = [](const std::function<void(std::string)>& done) { done("tutti_runs 3\n"); };
  StartServer();
  const HttpAnswer answer = Ask("GET", "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.Field("Content-Type"), StartsWith("text/plain; version=0.0.4"));
  EXPECT_EQ(answer.body, "tutti_runs 3\n");
}

}  // namespace
}  // namespace tutti::http
