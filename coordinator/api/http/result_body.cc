#include "coordinator/api/http/result_body.h"

#include <algorithm>

#include "coordinator/api/http/error_envelope.h"

namespace tutti::http {

std::string ContentTypeOf(std::string_view format) {
  const std::string_view kind = format.substr(0, format.find(':'));
  if (kind == "json") return "application/json";
  if (kind == "yaml") return "application/yaml";
  if (kind == "csv") return "text/csv; charset=utf-8";
  if (kind == "junit") return "application/xml";
  if (kind == "html") return "text/html; charset=utf-8";
  if (kind == "markdown") return "text/markdown; charset=utf-8";
  return "text/plain; charset=utf-8";
}

std::vector<std::string> ResultContentTypes() {
  std::vector<std::string> types;
  for (const report::Exporter& exporter : report::Exporters()) {
    const std::string type = ContentTypeOf(exporter.name);
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  }
  return types;
}

Response ResultResponse(const tutti::v1::Result& result, const report::Exporter& exporter, bool partial) {
  if (result.status() == tutti::v1::RUN_STATUS_RUNNING && !partial) {
    return ErrorResponse(409, "not_ended",
                         "run " + result.run_id() +
                             " has not ended; ask again after its event `ended`, or with ?partial=true");
  }
  Response response;
  response.content_type = ContentTypeOf(exporter.name);
  response.body = exporter.render(result, report::Style{});
  return response;
}

}  // namespace tutti::http
