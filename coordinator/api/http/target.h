// The target of a request taken apart: path and query, percent-decoded. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::http {

struct Target {
  std::string authority;              // of the absolute form, "host:port"; empty otherwise
  std::vector<std::string> segments;  // "/v1/runs/a%20b" has three
  std::vector<std::pair<std::string, std::string>> query;  // in the order in which they were written
};

// InvalidArgument for escapes that are none, text that is not UTF-8, control characters, segments "." and
// "..", and what is not an absolute path. A '+' of the query is a blank, as HTML's forms have it.
absl::StatusOr<Target> ParseTarget(std::string_view text);

// Everything but unreserved characters (RFC 3986) as %XX.
std::string PercentEncode(std::string_view text);

}  // namespace tutti::http
