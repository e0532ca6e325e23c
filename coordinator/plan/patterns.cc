#include "coordinator/plan/patterns.h"

#include "absl/strings/str_cat.h"

namespace tutti::plan {
namespace {

using Hosts = std::vector<std::string>;

absl::Status Wants(const std::string& what, size_t from, size_t to) {
  return absl::InvalidArgumentError(absl::StrCat("wants ", what, ", not ", from, " sending and ", to,
                                                 " receiving: change the roles or the pattern"));
}

absl::Status CheckPairs(size_t from, size_t to) {
  return from == to ? absl::OkStatus() : Wants("as many hosts on both sides", from, to);
}
std::vector<HostPair> Pairs(const Hosts& from, const Hosts&) {
  std::vector<HostPair> pairs;
  for (size_t i = 0; i < from.size(); ++i) pairs.push_back({i, i});
  return pairs;
}

absl::Status CheckFanOut(size_t from, size_t to) {
  return from == 1 ? absl::OkStatus() : Wants("one sending host", from, to);
}
absl::Status CheckFanIn(size_t from, size_t to) {
  return to == 1 ? absl::OkStatus() : Wants("one receiving host", from, to);
}
absl::Status CheckAllToAll(size_t, size_t) { return absl::OkStatus(); }
// Also both fans, whose one side has one host. Never a host to itself.
std::vector<HostPair> EachToEach(const Hosts& from, const Hosts& to) {
  std::vector<HostPair> pairs;
  for (size_t i = 0; i < from.size(); ++i) {
    for (size_t j = 0; j < to.size(); ++j) {
      if (from[i] != to[j]) pairs.push_back({i, j});
    }
  }
  return pairs;
}

absl::Status CheckRing(size_t from, size_t to) {
  return from >= 2 ? absl::OkStatus() : Wants("at least two hosts in its role", from, to);
}
std::vector<HostPair> Ring(const Hosts& from, const Hosts&) {
  std::vector<HostPair> pairs;
  for (size_t i = 0; i < from.size(); ++i) pairs.push_back({i, (i + 1) % from.size()});
  return pairs;
}

}  // namespace

const std::vector<PatternRule>& Patterns() {
  static const std::vector<PatternRule> patterns = {
      {tutti::v1::PATTERN_PAIRS, "pairs", "the i-th of from to the i-th of to, equal counts", false, false,
       CheckPairs, Pairs},
      {tutti::v1::PATTERN_FAN_OUT, "fan_out", "one sender to each receiver", false, false, CheckFanOut,
       EachToEach},
      {tutti::v1::PATTERN_FAN_IN, "fan_in", "each sender to one receiver", false, false, CheckFanIn,
       EachToEach},
      {tutti::v1::PATTERN_ALL_TO_ALL, "all_to_all", "each of from to each of to, never to itself", true,
       false, CheckAllToAll, EachToEach},
      {tutti::v1::PATTERN_RING, "ring", "one role, each host to the next and the last to the first", true,
       true, CheckRing, Ring},
  };
  return patterns;
}

const PatternRule* FindPattern(tutti::v1::Pattern id) {
  for (const PatternRule& rule : Patterns()) {
    if (rule.id == id) return &rule;
  }
  return nullptr;
}

const PatternRule* FindPattern(std::string_view name) {
  for (const PatternRule& rule : Patterns()) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<std::string> PatternNames() {
  std::vector<std::string> names;
  for (const PatternRule& rule : Patterns()) names.emplace_back(rule.name);
  return names;
}

}  // namespace tutti::plan
