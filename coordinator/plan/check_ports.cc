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

// The ends of streams that take ports of a range.
struct Side {
  const char* key;
  bool sends;
  const char* verb;

  bool IsGiven(const TrafficEntry& entry) const {
    return sends ? entry.has_source_ports() : entry.has_ports();
  }
  const tutti::v1::PortRange& Range(const TrafficEntry& entry) const {
    return sends ? entry.source_ports() : entry.ports();
  }
};

constexpr Side kSides[] = {{"ports", false, " receives "}, {"source_ports", true, " sends "}};

// Streams that each host of one side has by one of the entry's directions, at least. All hosts of a role have
// the same number.
uint64_t StreamsPerHost(const TrafficEntry& entry, const Hosts& own, const Hosts& peers) {
  if (entry.pattern() == tutti::v1::PATTERN_PAIRS || entry.pattern() == tutti::v1::PATTERN_RING) {
    return entry.streams();
  }
  const uint64_t others = peers.role == own.role ? peers.count - 1 : peers.count;
  return std::max<uint64_t>(others, 1) * entry.streams();
}

// What each host of a role has of an entry's streams, in that entry's ports.
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

// Hosts whose streams share their ports: those of a role, where the entries choose the same addresses.
using Owner = std::tuple<std::string, std::string, int>;  // role, network, IP family
using Demands = std::map<Owner, std::vector<Demand>>;

void Add(const Side& side, const TrafficEntry& entry, int index, const Hosts& senders, const Hosts& receivers,
         Demands& demands) {
  const Hosts& own = side.sends ? senders : receivers;
  std::vector<Demand>& known = demands[{own.role, entry.network(), entry.ip_family()}];
  const uint64_t streams = StreamsPerHost(entry, own, side.sends ? receivers : senders);
  if (!known.empty() && known.back().entry == index) {  // the other direction of a role with itself
    known.back().streams += streams;
  } else {
    known.push_back({index, entry.protocol(), side.Range(entry).first(), side.Range(entry).last(), streams});
  }
}

Demands Collect(const Side& side, const Case& plan_case) {
  std::map<std::string, const Role*> roles;
  for (const Role& role : plan_case.roles()) roles[role.name()] = &role;
  Demands demands;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const TrafficEntry& entry = plan_case.traffic(i);
    if (!side.IsGiven(entry)) continue;
    const std::optional<Hosts> from = HostsOf(roles, entry.from());
    const std::optional<Hosts> to = HostsOf(roles, entry.to());
    if (!from || !to) continue;
    Add(side, entry, i, *from, *to, demands);
    if (entry.both_ways()) Add(side, entry, i, *to, *from, demands);
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

void CheckSide(const Side& side, const Case& plan_case, const Node& traffic, ErrorList& errors) {
  for (const auto& [owner, demands] : Collect(side, plan_case)) {
    for (const Demand& own : demands) {
      uint64_t wanted = 0;
      for (const Demand& other : demands) wanted += own.Holds(other) ? other.streams : 0;
      if (wanted <= uint64_t{own.last} - own.first + 1) continue;
      const Node* ports = Find(traffic.items[static_cast<size_t>(own.entry)].get(), side.key);
      errors.Add(ports->position, absl::StrCat("traffic[", own.entry, "].", side.key),
                 absl::StrCat(DescribePorts(side.Range(plan_case.traffic(own.entry))), ", and each host of ",
                              std::get<0>(owner), side.verb, wanted, " streams there", Sharing(own, demands),
                              ": write a range of ", wanted, " ports or more"));
    }
  }
}

}  // namespace

void CheckPorts(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (const Side& side : kSides) CheckSide(side, plan_case, *traffic, errors);
}

}  // namespace tutti::plan
