#include "common/facts/fact_difference.h"

#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "common/facts/fact_list.h"

namespace tutti {
namespace {

// Of the fact itself or of what it is a part of.
std::string ReasonFor(const std::string& path, const v1::HostFacts& facts) {
  for (const v1::MissingFact& missing : facts.missing()) {
    if (!absl::StartsWith(path, missing.fact())) continue;
    const size_t end = missing.fact().size();
    if (path.size() == end || path[end] == '.' || path[end] == '[') return missing.reason();
  }
  return "";
}

}  // namespace

std::vector<FactDifference> CompareFacts(const v1::HostFacts& first, const v1::HostFacts& second) {
  std::map<std::string, FactDifference> by_path;
  for (Fact& fact : ListFacts(first)) {
    FactDifference& entry = by_path[fact.path];
    entry.first = std::move(fact.value);
    entry.in_fingerprint = fact.in_fingerprint;
  }
  for (Fact& fact : ListFacts(second)) {
    FactDifference& entry = by_path[fact.path];
    // A device may have lost its address between the two.
    entry.in_fingerprint = fact.in_fingerprint || (entry.first.has_value() && entry.in_fingerprint);
    entry.second = std::move(fact.value);
  }
  std::vector<FactDifference> differences;
  for (auto& [path, entry] : by_path) {
    if (entry.first == entry.second) continue;
    entry.path = path;
    if (!entry.first) entry.first_reason = ReasonFor(path, first);
    if (!entry.second) entry.second_reason = ReasonFor(path, second);
    differences.push_back(std::move(entry));
  }
  return differences;
}

}  // namespace tutti
