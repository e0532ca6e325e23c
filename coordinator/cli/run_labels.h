// Labels of a run, as a user writes them. Pure; thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::cli {

// Each "KEY=VALUE"; the value may be empty and may have further "=". InvalidArgument names the text that is
// none, and a key that is there twice.
absl::StatusOr<std::map<std::string, std::string>> ParseLabels(const std::vector<std::string>& texts);

}  // namespace tutti::cli
