// Who sends to whom between the hosts of two roles. Pure; thread-safe.
//
// A pattern is one row of the table in patterns.cc; the language, the schema, the checks and the flows take
// it from there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// Places in the hosts of `from` and of `to`.
struct HostPair {
  size_t from = 0;
  size_t to = 0;
};

struct PatternRule {
  tutti::v1::Pattern id;
  std::string_view name;
  std::string_view description;
  bool within_one_role;  // from and to may be the same role
  bool only_one_role;    // and must be
  // Whether so many hosts fit; the message follows "pattern NAME".
  absl::Status (*check_counts)(size_t from, size_t to);
  // Pairs in the order of their streams. The counts fit.
  std::vector<HostPair> (*pairs)(const std::vector<std::string>& from, const std::vector<std::string>& to);
};

const std::vector<PatternRule>& Patterns();
// nullptr if it is not one.
const PatternRule* FindPattern(tutti::v1::Pattern id);
const PatternRule* FindPattern(std::string_view name);
std::vector<std::string> PatternNames();

}  // namespace tutti::plan
