#include "coordinator/report/host_facts.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/facts/fact_difference.h"
#include "common/facts/fact_list.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/text_table.h"

namespace tutti::report {
namespace {

constexpr char kNotKnown[] = "not known";

struct Line {
  std::string label;
  std::string value;
};

struct Group {
  std::string name;  // empty: the host itself
  std::vector<Line> lines;
};

// "sysctls[a]" is the line "a" of "sysctls", "devices[eth0].rings.rx" the line "rings.rx" of "devices[eth0]".
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t open = path.find('[');
  const size_t close = open == std::string::npos ? open : path.find(']', open);
  if (close == std::string::npos) return {"", path};
  if (close + 1 == path.size()) return {path.substr(0, open), path.substr(open + 1, close - open - 1)};
  return {path.substr(0, close + 1), path.substr(close + 2)};
}

std::string GroupText(const Group& group) {
  const std::string margin = group.name.empty() ? "  " : "    ";
  size_t width = 0;
  for (const Line& line : group.lines) width = std::max(width, DisplayWidth(line.label));
  std::string text = group.name.empty() ? "" : absl::StrCat("  ", group.name, "\n");
  for (const Line& line : group.lines) {
    absl::StrAppend(&text, margin, line.label);
    if (!line.value.empty()) {
      absl::StrAppend(&text, std::string(width - DisplayWidth(line.label) + 2, ' '), line.value);
    }
    text += '\n';
  }
  return text;
}

std::string FingerprintText(const v1::HostFacts& facts) {
  return facts.has_fingerprint() ? facts.fingerprint() : kNone;
}

std::string ValueText(const std::optional<std::string>& value, const std::string& reason) {
  if (value) return *value;
  return reason.empty() ? kNone : absl::StrCat(kNone, " (", reason, ")");
}

// What the two runs are called.
struct Names {
  std::string first;
  std::string second;
};

Names NamesOf(const v1::Result& first, const v1::Result& second) {
  if (first.run_id() == second.run_id()) return {"first", "second"};
  return {first.run_id(), second.run_id()};
}

std::string DifferencesText(const std::vector<FactDifference>& differences, const Names& names,
                            bool in_fingerprint) {
  std::string text;
  for (const FactDifference& each : differences) {
    if (each.in_fingerprint != in_fingerprint) continue;
    absl::StrAppend(&text, "  ", each.path, "\n");
    absl::StrAppend(&text, "    ", names.first, ": ", ValueText(each.first, each.first_reason), "\n");
    absl::StrAppend(&text, "    ", names.second, ": ", ValueText(each.second, each.second_reason), "\n");
  }
  return text;
}

std::string HostDifferences(const std::string& host, const v1::HostFacts& first, const v1::HostFacts& second,
                            const Names& names) {
  const std::vector<FactDifference> differences = CompareFacts(first, second);
  const auto counted = std::count_if(differences.begin(), differences.end(),
                                     [](const FactDifference& each) { return each.in_fingerprint; });
  std::string text = absl::StrCat(host, ": ");
  if (counted == 0) {
    absl::StrAppend(&text, "the same, fingerprint ", FingerprintText(second), "\n");
  } else {
    absl::StrAppend(&text, counted, counted == 1 ? " fact differs" : " facts differ", ", fingerprints ",
                    FingerprintText(first), " and ", FingerprintText(second), "\n");
  }
  absl::StrAppend(&text, DifferencesText(differences, names, true));
  const std::string fleeting = DifferencesText(differences, names, false);
  if (!fleeting.empty()) absl::StrAppend(&text, "  not in the fingerprint:\n", fleeting);
  return text;
}

const v1::Host* FindHost(const v1::Result& result, const std::string& name) {
  for (const v1::Host& host : result.hosts()) {
    if (host.name() == name) return &host;
  }
  return nullptr;
}

}  // namespace

std::string RenderHostFacts(std::string_view title, const v1::HostFacts& facts) {
  std::vector<Group> groups(1);
  for (const Fact& fact : ListFacts(facts)) {
    auto [name, label] = SplitPath(fact.path);
    // Facts come by path, so a group's are one behind the other, but for the host's own.
    Group* group = name.empty() ? &groups.front() : &groups.back();
    if (group->name != name) group = &groups.emplace_back(Group{name, {}});
    group->lines.push_back({std::move(label), fact.value});
  }
  Group& missing = groups.emplace_back(Group{kNotKnown, {}});
  for (const v1::MissingFact& each : facts.missing()) missing.lines.push_back({each.fact(), each.reason()});
  std::string text = absl::StrCat(std::string(title), "  fingerprint ", FingerprintText(facts), "\n");
  for (const Group& group : groups) {
    if (!group.lines.empty()) absl::StrAppend(&text, GroupText(group));
  }
  return text;
}

std::string RenderFacts(const v1::Result& result) {
  std::string text;
  for (const v1::Host& host : result.hosts()) {
    if (!text.empty()) text += '\n';
    absl::StrAppend(&text,
                    RenderHostFacts(absl::StrCat(host.name(), "  machine ", host.machine()), host.facts()));
  }
  return text.empty() ? "the result names no host\n" : text;
}

std::string RenderFactDifferences(const v1::Result& first, const v1::Result& second) {
  const Names names = NamesOf(first, second);
  std::string text;
  for (const v1::Host& host : first.hosts()) {
    const v1::Host* other = FindHost(second, host.name());
    absl::StrAppend(&text, other == nullptr
                               ? absl::StrCat(host.name(), ": only in ", names.first, "\n")
                               : HostDifferences(host.name(), host.facts(), other->facts(), names));
  }
  for (const v1::Host& host : second.hosts()) {
    if (FindHost(first, host.name()) == nullptr) {
      absl::StrAppend(&text, host.name(), ": only in ", names.second, "\n");
    }
  }
  return text.empty() ? "neither result names a host\n" : text;
}

}  // namespace tutti::report
