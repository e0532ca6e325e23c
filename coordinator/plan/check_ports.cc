#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/value_parser.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Role;
using tutti::v1::TrafficEntry;

// The hosts that a role has: those of the role at the end of same_as.
struct Hosts {
  std::string role;
  uint64_t count = 1;  // at least; placement knows how many `all` are
};

std::optional<Hosts> HostsOf(const std::map<std::string, const Role*>& roles, const std::string& name) {
  auto found = roles.find(name);
  if (found != roles.end() && !found->second->same_as().empty()) found = roles.find(found->second->same_as());
  if (found == roles.end()) return std::nullopt;
  const Role& role = *found->second;
  const uint64_t named = static_cast<uint64_t>(role.hosts_size());
  return Hosts{role.name(), named > 0 ? named : std::max<uint64_t>(role.count(), 1)};
}

// Streams that each host of the receiving side gets from one of the entry's directions, at least. All hosts
// of a role get the same number.
uint64_t StreamsPerReceiver(const TrafficEntry& entry, const Hosts& senders, const Hosts& receivers) {
  if (entry.pattern() == tutti::v1::PATTERN_PAIRS || entry.pattern() == tutti::v1::PATTERN_RING) {
    return entry.streams();
  }
  const uint64_t others = senders.role == receivers.role ? senders.count - 1 : senders.count;
  return std::max<uint64_t>(others, 1) * entry.streams();
}

// Receivers whose streams share their ports: the hosts of a role, where the entries choose the same
// addresses.
using Receiver = std::tuple<std::string, std::string, int>;  // role, network, IP family
using StreamsByEntry = std::map<int, uint64_t>;

std::map<Receiver, StreamsByEntry> Count(const Case& plan_case) {
  std::map<std::string, const Role*> roles;
  for (const Role& role : plan_case.roles()) roles[role.name()] = &role;
  std::map<Receiver, StreamsByEntry> streams;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const TrafficEntry& entry = plan_case.traffic(i);
    const std::optional<Hosts> from = HostsOf(roles, entry.from());
    const std::optional<Hosts> to = HostsOf(roles, entry.to());
    if (!entry.has_ports() || !from || !to) continue;
    streams[{to->role, entry.network(), entry.ip_family()}][i] += StreamsPerReceiver(entry, *from, *to);
    if (!entry.both_ways()) continue;
    streams[{from->role, entry.network(), entry.ip_family()}][i] += StreamsPerReceiver(entry, *to, *from);
  }
  return streams;
}

bool Inside(const TrafficEntry& inner, const TrafficEntry& outer) {
  return inner.protocol() == outer.protocol() && inner.ports().first() >= outer.ports().first() &&
         inner.ports().last() <= outer.ports().last();
}

}  // namespace

void CheckPorts(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (const auto& [receiver, streams] : Count(plan_case)) {
    for (const auto& [i, own] : streams) {
      const TrafficEntry& entry = plan_case.traffic(i);
      uint64_t wanted = 0;
      std::vector<std::string> sharing;
      for (const auto& [j, count] : streams) {
        if (!Inside(plan_case.traffic(j), entry)) continue;
        wanted += count;
        if (j != i) sharing.push_back(absl::StrCat("traffic[", j, "]"));
      }
      if (wanted <= entry.ports().last() - entry.ports().first() + 1) continue;
      const Node* ports = Find(traffic->items[static_cast<size_t>(i)].get(), "ports");
      errors.Add(
          ports->position, absl::StrCat("traffic[", i, "].ports"),
          absl::StrCat(DescribePorts(entry.ports()), ", and each host of ", std::get<0>(receiver),
                       " receives ", wanted, " streams there", sharing.empty() ? "" : ", with those of ",
                       absl::StrJoin(sharing, ", "), ": write a range of ", wanted, " ports or more"));
    }
  }
}

}  // namespace tutti::plan
