#include "coordinator/api/http/error_envelope.h"

#include <exception>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "coordinator/report/json_text.h"

namespace tutti::http {
namespace {

struct ErrorKind {
  int status;
  const char* code;
};

ErrorKind KindOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return {400, "invalid_argument"};
    case absl::StatusCode::kUnauthenticated:
      return {401, "unauthenticated"};
    case absl::StatusCode::kPermissionDenied:
      return {403, "permission_denied"};
    case absl::StatusCode::kNotFound:
      return {404, "not_found"};
    case absl::StatusCode::kAlreadyExists:
      return {409, "already_exists"};
    case absl::StatusCode::kFailedPrecondition:
      return {409, "failed_precondition"};
    case absl::StatusCode::kAborted:
      return {409, "aborted"};
    case absl::StatusCode::kResourceExhausted:
      return {429, "resource_exhausted"};
    case absl::StatusCode::kUnimplemented:
      return {501, "unimplemented"};
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return {503, "unavailable"};
    case absl::StatusCode::kDeadlineExceeded:
      return {504, "deadline_exceeded"};
    default:
      return {500, "internal"};
  }
}

std::string_view MessageOf(const absl::Status& status) {
  const absl::string_view message = status.message();
  return {message.data(), message.size()};
}

// A line that begins with a blank goes on with the error before it.
std::vector<std::string> ErrorsOf(std::string_view text) {
  std::vector<std::string> errors;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!errors.empty() && !line.empty() && (line.front() == ' ' || line.front() == '\t')) {
      errors.back().append("\n").append(line);
    } else if (!line.empty()) {
      errors.emplace_back(line);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return errors;
}

}  // namespace

report::Document ErrorDocument(std::string_view code, std::string_view message) {
  const std::vector<std::string> errors = ErrorsOf(message);
  std::string first = errors.empty() ? std::string(message) : errors.front();
  if (errors.size() > 1) first += " (and " + std::to_string(errors.size() - 1) + " more)";
  report::Document error = report::Document::Map();
  error.Add("code", report::Document::Text(code));
  error.Add("message", report::Document::Text(first));
  error.Add("details", report::Document::Texts(errors));
  report::Document document = report::Document::Map();
  document.Add("error", std::move(error));
  return document;
}

Response ErrorResponse(int status, std::string_view code, std::string_view message) {
  Response response;
  response.status = status;
  response.content_type = "application/json";
  response.body = report::DocumentJson(ErrorDocument(code, message));
  return response;
}

Response ErrorResponse(const absl::Status& status) {
  const ErrorKind kind = KindOf(status.code());
  return ErrorResponse(kind.status, kind.code, MessageOf(status));
}

std::string ErrorLine(const absl::Status& status) {
  std::string line = "{\"error\":{\"code\":";
  report::AppendJsonString(KindOf(status.code()).code, line);
  line += ",\"message\":";
  report::AppendJsonString(MessageOf(status), line);
  line += ",\"details\":[";
  const char* separator = "";
  for (const std::string& error : ErrorsOf(MessageOf(status))) {
    line += separator;
    report::AppendJsonString(error, line);
    separator = ",";
  }
  return line + "]}}";
}

Response Guarded(const std::function<Response()>& make) {
  try {
    return make();
  } catch (const std::exception& error) {
    return ErrorResponse(absl::InternalError(std::string("the answer could not be made: ") + error.what()));
  }
}

}  // namespace tutti::http
