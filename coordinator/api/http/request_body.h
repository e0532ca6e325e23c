// The body of a request as a message. Errors are InvalidArgument and name the key. Pure; thread-safe.
#pragma once

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/api/http/route.h"
#include "tutti/v1/service.pb.h"

namespace tutti::http {

// An empty body is an empty message where the route allows that.
absl::Status ReadJsonBody(const Exchange& exchange, google::protobuf::Message& message);

// JSON, or a plan's YAML text with `set`, `name`, and for a submission `label`, `user` and `max_wait` in the
// query. Of a submission the field Idempotency-Key too, whatever the body.
absl::StatusOr<tutti::v1::SubmitRequest> ReadSubmitRequest(const Exchange& exchange);
absl::StatusOr<tutti::v1::ValidatePlanRequest> ReadValidateRequest(const Exchange& exchange);
absl::StatusOr<tutti::v1::DryRunRequest> ReadDryRunRequest(const Exchange& exchange);

// Puts the name that the path has into `field`; a body that has another one is an error.
absl::Status TakePathName(const std::string& from_path, const std::string& from_body, std::string& field);

}  // namespace tutti::http
