// What is refused before anybody looks at it: requests that are too large, or not in their form. Pure;
// thread-safe. Everything that is refused is InvalidArgument.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/repeated_ptr_field.h"
#include "tutti/v1/service.pb.h"

namespace tutti::api {

// A plan's text, its name and its overrides, as every request that has a plan carries them.
absl::Status CheckPlanText(const std::string& plan, const std::string& source_name,
                           const google::protobuf::RepeatedPtrField<std::string>& overrides);

// The same of the plan; and user, labels, idempotency key (printable ASCII, at most 256 bytes) and how long
// it may wait (1 s to 30 days).
absl::Status CheckSubmission(const tutti::v1::SubmitRequest& request);

// The id of a run or the name of a worker as a client gives it: what is longer than any there is. `what`:
// "run".
absl::Status CheckName(const char* what, const std::string& name);

}  // namespace tutti::api
