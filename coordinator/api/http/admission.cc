#include "coordinator/api/http/admission.h"

#include <cctype>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "common/status/printable.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/router.h"
#include "coordinator/api/http/target.h"

namespace tutti::http {
namespace {

Admission Refused(Response response) {
  Admission admission;
  admission.answer = std::move(response);
  return admission;
}

Response Allowed(std::string methods) {
  Response response;
  response.status = 204;
  response.fields.emplace_back("Allow", std::move(methods));
  return response;
}

// Nothing: the body may come, or none is announced.
std::optional<Response> RefuseBody(const Route& route, const Request& head) {
  if (!head.has_body) return std::nullopt;
  if (route.body == BodyRule::kNone) {
    return ErrorResponse(400, "invalid_argument",
                         std::string(route.method) + " " + route.pattern + " takes no body");
  }
  const std::string type = MediaTypeOf(head);
  const bool yaml = route.body == BodyRule::kJsonOrYaml;
  if (type != kJsonType && !(yaml && type == kYamlType)) {
    const std::string found = type.empty() ? "no Content-Type" : "Content-Type \"" + Printable(type) + "\"";
    return ErrorResponse(415, "unsupported_media_type",
                         "the body has " + found + "; send application/json" +
                             (yaml ? " or, for a plan as it is, application/yaml" : ""));
  }
  const std::string* encoding = head.Find("content-encoding");
  if (encoding != nullptr && *encoding != "identity") {
    return ErrorResponse(415, "unsupported_media_type",
                         "the body has Content-Encoding \"" + Printable(*encoding) + "\"; send it as it is");
  }
  return std::nullopt;
}

}  // namespace

std::string MediaTypeOf(const Request& request) {
  const std::string* field = request.Find("content-type");
  if (field == nullptr) return "";
  std::string type = field->substr(0, field->find(';'));
  while (!type.empty() && type.back() == ' ') type.pop_back();
  for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return type;
}

Admission Admit(const std::vector<Route>& routes, const Request& head, const SiteRule& rule) {
  const bool options = head.method == "OPTIONS";
  if (options && head.target == "*") {
    if (std::optional<Response> refusal = RefuseOtherSites(head, "", rule))
      return Refused(*std::move(refusal));
    return Refused(Allowed("GET, HEAD, POST, DELETE, OPTIONS"));
  }
  absl::StatusOr<Target> target = ParseTarget(head.target);
  if (!target.ok()) return Refused(ErrorResponse(target.status()));
  if (std::optional<Response> refusal = RefuseOtherSites(head, target->authority, rule)) {
    return Refused(*std::move(refusal));
  }
  RouteMatch match = FindRoute(routes, head.method, target->segments);
  if (match.allowed.empty()) {
    const std::string path = head.target.substr(0, head.target.find('?'));
    return Refused(
        ErrorResponse(404, "not_found",
                      "there is nothing at " + Printable(path) + "; /v1/openapi.json lists what there is"));
  }
  if (options) return Refused(Allowed(std::move(match.allowed)));
  if (match.route == nullptr) {
    Response response = ErrorResponse(
        405, "method_not_allowed", Printable(head.method) + " is not for this path; it has " + match.allowed);
    response.fields.emplace_back("Allow", std::move(match.allowed));
    return Refused(std::move(response));
  }
  absl::StatusOr<Query> query = Query::Check(std::move(target->query), match.route->query);
  if (!query.ok()) return Refused(ErrorResponse(query.status()));
  if (std::optional<Response> refusal = RefuseBody(*match.route, head)) return Refused(*std::move(refusal));

  Admission admission;
  admission.exchange = std::make_unique<Exchange>();
  admission.exchange->route = match.route;
  admission.exchange->variables = std::move(match.variables);
  admission.exchange->query = *std::move(query);
  admission.exchange->head_only = head.method == "HEAD";
  return admission;
}

}  // namespace tutti::http
