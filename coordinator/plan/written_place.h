// The place in a plan's text of what only placement can find wrong. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// Notes with an error that it lies in the value of `key` of traffic[entry]. The message stays as it is.
absl::Status InEntry(const absl::Status& status, size_t entry, std::string_view key);

// The same of thresholds[threshold].
absl::Status InThreshold(const absl::Status& status, size_t threshold, std::string_view key);

// The error that one of them noted, as one of the text: "p.yaml:12:14: traffic[0].ports: MESSAGE", at the
// value that the case has; at the entry or threshold where it leaves the key out. Other statuses are returned
// as they are. `plan` is what LoadPlan made.
absl::Status WithPlace(const tutti::v1::Plan& plan, int case_index, const absl::Status& status);

}  // namespace tutti::plan
