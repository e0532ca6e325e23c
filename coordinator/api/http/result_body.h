// A result as a response, in any of the formats that reports have. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/api/http/message.h"
#include "coordinator/report/report.h"
#include "tutti/v1/result.pb.h"

namespace tutti::http {

inline constexpr char kDefaultFormat[] = "json";

// "text/csv; charset=utf-8" of "csv:trial".
std::string ContentTypeOf(std::string_view format);
// Those of all formats, each once.
std::vector<std::string> ResultContentTypes();

// 409 "not_ended" for a run that has not ended, unless `partial`.
Response ResultResponse(const tutti::v1::Result& result, const report::Exporter& exporter, bool partial);

}  // namespace tutti::http
