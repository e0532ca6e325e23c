// The one form of an error: {"error": {"code": "not_found", "message": "...", "details": ["..."]}}. Pure;
// thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "coordinator/api/http/message.h"
#include "coordinator/report/document.h"

namespace tutti::http {

// Each line of the message is one of the details, with the lines behind it that begin with a blank.
Response ErrorResponse(int status, std::string_view code, std::string_view message);
// By the status's code: InvalidArgument is 400 "invalid_argument", NotFound 404, AlreadyExists and
// FailedPrecondition 409, ResourceExhausted 429, Unavailable 503, PermissionDenied 403; others 500 or what
// fits.
Response ErrorResponse(const absl::Status& status);
// The body alone.
report::Document ErrorDocument(std::string_view code, std::string_view message);
// Of a status, on one line.
std::string ErrorLine(const absl::Status& status);

// What `make` returns; 500 where it throws.
Response Guarded(const std::function<Response()>& make);

}  // namespace tutti::http
