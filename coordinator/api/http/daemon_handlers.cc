#include "coordinator/api/http/daemon_handlers.h"

#include <string>
#include <utility>

#include "coordinator/api/http/error_envelope.h"
#include "coordinator/report/document.h"

namespace tutti::http {
namespace {

Response WellResponse() {
  Response response;
  response.content_type = "application/json";
  response.body = report::DocumentJson(report::Document::Map().Add("status", report::Document::Text("ok")));
  return response;
}

}  // namespace

void GetOpenApi(const Context& context, const Exchange& exchange, Reply reply) {
  Response response;
  response.content_type = "application/json";
  response.body = context.openapi;
  std::move(reply)(std::move(response));
}

void GetHealth(const Context& context, const Exchange& exchange, Reply reply) {
  std::move(reply)(WellResponse());
}

void GetReadiness(const Context& context, const Exchange& exchange, Reply reply) {
  if (context.ready) return std::move(reply)(WellResponse());
  std::move(reply)(
      ErrorResponse(503, "unavailable", "the coordinator is about to end and takes no more runs"));
}

void GetMetrics(const Context& context, const Exchange& exchange, Reply reply) {
  if (context.metrics_page == nullptr) {
    return reply(ErrorResponse(404, "not_found", "this coordinator has no metrics page"));
  }
  context.metrics_page([reply = std::move(reply)](std::string page) {
    Response response;
    response.content_type = kMetricsType;
    response.body = std::move(page);
    std::move(reply)(std::move(response));
  });
}

}  // namespace tutti::http
