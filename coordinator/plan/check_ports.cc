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

// What each host of a role receives by an entry, in that entry's ports.
struct Demand {
  int entry = 0;
  tutti::v1::Protocol protocol = tutti::v1::PROTOCOL_UNSPECIFIED;
  uint32_t first = 0;
  uint32_t last = 0;
  uint64_t streams = 0;

  bool Holds(const Demand& other) const {
    return other.protocol == protocol && other.first >= first && other.last <= last;
  }
};

// Receivers whose streams share their ports: the hosts of a role, where the entries choose the same
// addresses.
using Receiver = std::tuple<std::string, std::string, int>;  // role, network, IP family
using Demands = std::map<Receiver, std::vector<Demand>>;

void Add(const TrafficEntry& entry, int index, const Hosts& senders, const Hosts& receivers,
         Demands& demands) {
  std::vector<Demand>& own = demands[{receivers.role, entry.network(), entry.ip_family()}];
  const uint64_t streams = StreamsPerReceiver(entry, senders, receivers);
  if (!own.empty() && own.back().entry == index) {  // the other direction of a role with itself
    own.back().streams += streams;
  } else {
    own.push_back({index, entry.protocol(), entry.ports().first(), entry.ports().last(), streams});
  }
}

Demands Collect(const Case& plan_case) {
  std::map<std::string, const Role*> roles;
  for (const Role& role : plan_case.roles()) roles[role.name()] = &role;
  Demands demands;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const TrafficEntry& entry = plan_case.traffic(i);
    if (!entry.has_ports()) continue;
    const std::optional<Hosts> from = HostsOf(roles, entry.from());
    const std::optional<Hosts> to = HostsOf(roles, entry.to());
    if (!from || !to) continue;
    Add(entry, i, *from, *to, demands);
    if (entry.both_ways()) Add(entry, i, *to, *from, demands);
  }
  return demands;
}

// Names the entries whose streams count with those of `own`; of many only some.
std::string Sharing(const Demand& own, const std::vector<Demand>& all) {
  constexpr size_t kMostNamed = 4;
  std::vector<std::string> named;
  size_t others = 0;
  for (const Demand& other : all) {
    if (other.entry == own.entry || !own.Holds(other)) continue;
    if (++others <= kMostNamed) named.push_back(absl::StrCat("traffic[", other.entry, "]"));
  }
  if (others == 0) return "";
  const std::string rest = others > kMostNamed ? absl::StrCat(" and ", others - kMostNamed, " more") : "";
  return absl::StrCat(", with those of ", absl::StrJoin(named, ", "), rest);
}

}  // namespace

void CheckPorts(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (const auto& [receiver, demands] : Collect(plan_case)) {
    for (const Demand& own : demands) {
      uint64_t wanted = 0;
      for (const Demand& other : demands) wanted += own.Holds(other) ? other.streams : 0;
      if (wanted <= uint64_t{own.last} - own.first + 1) continue;
      const Node* ports = Find(traffic->items[static_cast<size_t>(own.entry)].get(), "ports");
      errors.Add(ports->position, absl::StrCat("traffic[", own.entry, "].ports"),
                 absl::StrCat(DescribePorts(plan_case.traffic(own.entry).ports()), ", and each host of ",
                              std::get<0>(receiver), " receives ", wanted, " streams there",
                              Sharing(own, demands), ": write a range of ", wanted, " ports or more"));
    }
  }
}

}  // namespace tutti::plan
