#include "coordinator/api/http/request_body.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "coordinator/api/http/admission.h"
#include "coordinator/report/report.h"

namespace tutti::http {
namespace {

constexpr char kUnnamedPlan[] = "plan.yaml";  // in the messages about a plan that came without a name

// What the three requests with a plan have in common. True: the body was YAML, and the query is to be read.
template <typename PlanRequest>
absl::StatusOr<bool> ReadPlan(const Exchange& exchange, PlanRequest& request) {
  if (MediaTypeOf(exchange.request) == kYamlType) {
    request.set_plan(exchange.request.body);
    request.set_source_name(exchange.query.Text("name"));
    for (const std::string& each : exchange.query.All("set")) request.add_overrides(each);
    if (request.source_name().empty()) request.set_source_name(kUnnamedPlan);
    return true;
  }
  TUTTI_RETURN_IF_ERROR(ReadJsonBody(exchange, request));
  if (!exchange.query.empty()) {
    return absl::InvalidArgumentError(
        "the query is for a plan that is sent as application/yaml; a JSON body has keys for it");
  }
  if (request.source_name().empty()) request.set_source_name(kUnnamedPlan);
  return false;
}

absl::Status ReadSubmitQuery(const Query& query, tutti::v1::SubmitRequest& request) {
  request.set_user(query.Text("user"));
  TUTTI_ASSIGN_OR_RETURN(const auto labels, query.Labels("label"));
  for (const auto& [key, value] : labels) (*request.mutable_labels())[key] = value;
  TUTTI_ASSIGN_OR_RETURN(const std::optional<int64_t> max_wait_ns, query.DurationNs("max_wait"));
  if (max_wait_ns) request.set_max_wait_ns(*max_wait_ns);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadJsonBody(const Exchange& exchange, google::protobuf::Message& message) {
  if (exchange.request.body.empty()) {
    if (exchange.route->body == BodyRule::kOptional) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(exchange.route->method, " ", exchange.route->pattern,
                                                   " needs a body: ", message.GetDescriptor()->name(),
                                                   " as application/json"));
  }
  return Annotate(report::ParseMessageJson(exchange.request.body, message), "the body");
}

absl::StatusOr<tutti::v1::SubmitRequest> ReadSubmitRequest(const Exchange& exchange) {
  tutti::v1::SubmitRequest request;
  TUTTI_ASSIGN_OR_RETURN(const bool yaml, ReadPlan(exchange, request));
  if (yaml) TUTTI_RETURN_IF_ERROR(ReadSubmitQuery(exchange.query, request));
  if (const std::string* key = exchange.request.Find("idempotency-key"); key != nullptr) {
    const auto& fields = exchange.request.fields;
    if (std::count_if(fields.begin(), fields.end(),
                      [](const auto& field) { return field.first == "idempotency-key"; }) > 1) {
      return absl::InvalidArgumentError("a request has one field Idempotency-Key at most, this one has more");
    }
    if (key->empty()) {
      return absl::InvalidArgumentError("the field Idempotency-Key is empty; leave it out or give it a key");
    }
    if (!request.idempotency_key().empty() && request.idempotency_key() != *key) {
      return absl::InvalidArgumentError("the field Idempotency-Key and the body's idempotency_key differ");
    }
    request.set_idempotency_key(*key);
  }
  return request;
}

absl::StatusOr<tutti::v1::ValidatePlanRequest> ReadValidateRequest(const Exchange& exchange) {
  tutti::v1::ValidatePlanRequest request;
  TUTTI_RETURN_IF_ERROR(ReadPlan(exchange, request).status());
  return request;
}

absl::StatusOr<tutti::v1::DryRunRequest> ReadDryRunRequest(const Exchange& exchange) {
  tutti::v1::DryRunRequest request;
  TUTTI_RETURN_IF_ERROR(ReadPlan(exchange, request).status());
  return request;
}

absl::Status TakePathName(const std::string& from_path, const std::string& from_body, std::string& field) {
  if (!from_body.empty() && from_body != from_path) {
    return absl::InvalidArgumentError(absl::StrCat("the body is about \"", Printable(from_body),
                                                   "\", the path about \"", Printable(from_path), "\""));
  }
  field = from_path;
  return absl::OkStatus();
}

}  // namespace tutti::http
