#include "coordinator/api/http/run_handlers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/api/http/ask.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/request_body.h"
#include "coordinator/api/http/result_body.h"
#include "coordinator/api/http/resume_point.h"
#include "coordinator/api/http/run_feed.h"
#include "coordinator/api/http/target.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/report.h"

namespace tutti::http {
namespace {

namespace v1 = tutti::v1;

using api::Operations;

Response SubmitResponse(const v1::SubmitResponse& submitted) {
  Response response = MessageResponse(submitted, submitted.repeated_key() ? 200 : 201);
  response.fields.emplace_back("Location", "/v1/runs/" + PercentEncode(submitted.run_id()));
  return response;
}

absl::StatusOr<v1::RunStatus> StatusNamed(const std::string& name) {
  const auto& type = *v1::RunStatus_descriptor();
  std::vector<std::string> known;
  for (int i = 0; i < type.value_count(); ++i) {
    if (type.value(i)->number() == v1::RUN_STATUS_UNSPECIFIED) continue;
    known.push_back(report::ShortEnumName(*type.value(i)));
    if (known.back() == name) return static_cast<v1::RunStatus>(type.value(i)->number());
  }
  return absl::InvalidArgumentError(
      absl::StrCat("status=", Printable(name), ": there is no such status", DidYouMean(name, known)));
}

absl::StatusOr<v1::ListRunsRequest> ReadListQuery(const Query& query) {
  v1::ListRunsRequest request;
  if (const std::string* status = query.Find("status")) {
    TUTTI_ASSIGN_OR_RETURN(const v1::RunStatus named, StatusNamed(*status));
    request.set_status(named);
  }
  request.set_plan_name(query.Text("plan"));
  TUTTI_ASSIGN_OR_RETURN(const auto labels, query.Labels("label"));
  for (const auto& [key, value] : labels) (*request.mutable_labels())[key] = value;
  const int64_t now_unix_ns = absl::GetCurrentTimeNanos();
  TUTTI_ASSIGN_OR_RETURN(const std::optional<int64_t> since_ns, query.Instant("since", now_unix_ns));
  if (since_ns) request.set_since_unix_ns(*since_ns);
  TUTTI_ASSIGN_OR_RETURN(const std::optional<int64_t> until_ns, query.Instant("until", now_unix_ns));
  if (until_ns) request.set_until_unix_ns(*until_ns);
  request.set_text(query.Text("text"));
  request.set_host(query.Text("host"));
  request.set_fingerprint(query.Text("fingerprint"));
  request.set_kernel(query.Text("kernel"));
  TUTTI_ASSIGN_OR_RETURN(const std::optional<uint64_t> page_runs, query.Number("page_runs"));
  // The most that comes is the store's to say.
  if (page_runs) request.set_page_runs(static_cast<uint32_t>(std::min<uint64_t>(*page_runs, UINT32_MAX)));
  request.set_page_token(query.Text("page_token"));
  return request;
}

// A request whose only key is the run of the path.
template <typename Question>
Question AboutRun(const Exchange& exchange) {
  Question question;
  question.set_run_id(exchange.variables[0]);
  return question;
}

}  // namespace

void SubmitRun(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::SubmitRequest> request = ReadSubmitRequest(exchange);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  Ask(context, &Operations::Submit, *request, std::move(reply), &SubmitResponse);
}

void ListRuns(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::ListRunsRequest> request = ReadListQuery(exchange.query);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  AskForLarge(context, &Operations::ListRuns, *request, std::move(reply));
}

void GetRun(const Context& context, const Exchange& exchange, Reply reply) {
  Ask(context, &Operations::GetRun, AboutRun<v1::GetRunRequest>(exchange), std::move(reply));
}

void DeleteRun(const Context& context, const Exchange& exchange, Reply reply) {
  Ask(context, &Operations::DeleteRun, AboutRun<v1::DeleteRunRequest>(exchange), std::move(reply));
}

void CancelRun(const Context& context, const Exchange& exchange, Reply reply) {
  Ask(context, &Operations::Cancel, AboutRun<v1::CancelRequest>(exchange), std::move(reply),
      [](const v1::CancelResponse& accepted) { return MessageResponse(accepted, 202); });
}

void ListEvents(const Context& context, const Exchange& exchange, Reply reply) {
  AskForLarge(context, &Operations::ListEvents, AboutRun<v1::ListEventsRequest>(exchange), std::move(reply));
}

void WhyNot(const Context& context, const Exchange& exchange, Reply reply) {
  Ask(context, &Operations::WhyNot, AboutRun<v1::WhyNotRequest>(exchange), std::move(reply));
}

void GetResult(const Context& context, const Exchange& exchange, Reply reply) {
  const std::string* format = exchange.query.Find("format");
  const absl::StatusOr<const report::Exporter*> exporter =
      report::FindExporter(format == nullptr ? std::string(kDefaultFormat) : Printable(*format));
  if (!exporter.ok()) return reply(ErrorResponse(exporter.status()));
  const absl::StatusOr<bool> partial = exchange.query.Bool("partial");
  if (!partial.ok()) return reply(ErrorResponse(partial.status()));
  auto request = AboutRun<v1::GetResultRequest>(exchange);
  request.set_without_intervals((*exporter)->without_intervals);
  AskForLarge(context, &Operations::GetResult, request, std::move(reply),
              [exporter = *exporter, partial = *partial](const Operations::SharedResult& result) {
                return ResultResponse(*result, *exporter, partial);
              });
}

void ValidatePlan(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::ValidatePlanRequest> request = ReadValidateRequest(exchange);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  AskForLarge(context, &Operations::ValidatePlan, *request, std::move(reply));
}

void DryRunPlan(const Context& context, const Exchange& exchange, Reply reply) {
  const absl::StatusOr<v1::DryRunRequest> request = ReadDryRunRequest(exchange);
  if (!request.ok()) return reply(ErrorResponse(request.status()));
  AskForLarge(context, &Operations::DryRun, *request, std::move(reply));
}

absl::StatusOr<std::shared_ptr<EventFeed>> WatchRun(const Context& context, const Exchange& exchange,
                                                    EventFeed::Wake wake) {
  auto request = AboutRun<v1::WatchRequest>(exchange);
  TUTTI_ASSIGN_OR_RETURN(const uint64_t after, ResumePoint(exchange));
  request.set_after_sequence(after);
  return RunFeed::Open(context.operations, context.event_texts, request, std::move(wake));
}

}  // namespace tutti::http
