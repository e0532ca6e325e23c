#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Role;

// How a role is filled: exactly one way.
void CheckSelection(const Entry& entry, const std::string& path, ErrorList& errors) {
  const Node* node = entry.value.get();
  if (node->broken || node->kind != Node::Kind::kMap) return;
  std::vector<std::string> ways;
  for (const char* way : {"count", "hosts", "same_as"}) {
    if (Find(node, way) != nullptr) ways.push_back(way);
  }
  const bool labels = Find(node, "labels") != nullptr;
  if (ways.empty()) {
    errors.Add(
        node->position, path,
        labels ? "has labels but no count: add count: N, or count: all for every worker that matches"
               : "nothing fills the role: write count: N, count: all, hosts: [NAME, ...] or same_as: ROLE");
  } else if (ways.size() > 1) {
    errors.Add(
        FindEntry(node, ways[1])->key_position, JoinPath(path, ways[1]),
        absl::StrCat("cannot stand beside ", ways[0], ": a role is filled in one way, keep one of them"));
  } else if (labels && ways[0] != "count") {
    errors.Add(FindEntry(node, "labels")->key_position, JoinPath(path, "labels"),
               absl::StrCat("labels choose among workers, which ", ways[0],
                            " leaves no room for: remove one of them"));
  }
}

void CheckSameAs(const Case& plan_case, const Role& role, const Node& node, const std::string& path,
                 ErrorList& errors) {
  if (role.same_as().empty()) return;
  std::vector<std::string> others;
  const Role* other = nullptr;
  for (const Role& candidate : plan_case.roles()) {
    if (candidate.name() != role.name()) others.push_back(candidate.name());
    if (candidate.name() == role.same_as()) other = &candidate;
  }
  const Position& position = Find(&node, "same_as")->position;
  const std::string same_as_path = JoinPath(path, "same_as");
  if (other == nullptr) {
    errors.Add(position, same_as_path,
               absl::StrCat("\"", role.same_as(), "\" is not a role", DidYouMean(role.same_as(), others)));
  } else if (other->name() == role.name()) {
    errors.Add(position, same_as_path, "a role cannot be the same as itself: name another role");
  } else if (!other->same_as().empty()) {
    errors.Add(position, same_as_path,
               absl::StrCat("\"", other->name(), "\" is itself the same as \"", other->same_as(),
                            "\": name the role that has its own hosts"));
  }
}

// Hosts that are named: each once in a role, and in one role.
void CheckNamedHosts(const Node& roles, ErrorList& errors) {
  std::map<std::string, std::string> role_of_host;
  for (const Entry& entry : roles.entries) {
    const Node* hosts = Find(entry.value.get(), "hosts");
    if (hosts == nullptr) continue;
    for (size_t i = 0; i < hosts->items.size(); ++i) {
      const Node& host = *hosts->items[i];
      if (host.kind != Node::Kind::kScalar) continue;
      auto [known, added] = role_of_host.insert({host.text, entry.key});
      if (added) continue;
      const std::string path = absl::StrCat("roles.", entry.key, ".hosts[", i, "]");
      if (known->second == entry.key) {
        errors.Add(host.position, path,
                   absl::StrCat("\"", host.text, "\" is listed twice: list each host once"));
      } else {
        errors.Add(host.position, path,
                   absl::StrCat(
                       "\"", host.text, "\" is also in the role \"", known->second,
                       "\": roles take distinct hosts, for one host in both write same_as: ", known->second));
      }
    }
  }
}

}  // namespace

void CheckRoles(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* roles = Find(&root, "roles");
  const Node* traffic = Find(&root, "traffic");
  if (roles == nullptr || roles->broken || roles->kind != Node::Kind::kMap) return;
  std::set<std::string> used;
  bool every_entry_names_its_roles = traffic != nullptr && !traffic->items.empty();
  for (const auto& entry : plan_case.traffic()) {
    used.insert(entry.from());
    used.insert(entry.to());
    every_entry_names_its_roles &= !entry.from().empty() && !entry.to().empty();
  }
  for (const Role& role : plan_case.roles()) {
    const Entry& entry = *FindEntry(roles, role.name());
    const std::string path = JoinPath("roles", role.name());
    CheckSelection(entry, path, errors);
    CheckSameAs(plan_case, role, *entry.value, path, errors);
    // A misspelt from or to is one error, not two.
    bool all_known = every_entry_names_its_roles;
    for (const std::string& name : used) all_known &= FindEntry(roles, name) != nullptr;
    if (all_known && used.count(role.name()) == 0) {
      errors.Add(entry.key_position, path,
                 "no traffic entry uses the role: use it in from or to, or remove it");
    }
  }
  CheckNamedHosts(*roles, errors);
}

}  // namespace tutti::plan
