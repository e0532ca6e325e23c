#include "coordinator/plan/address_choice.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/macros.h"
#include "coordinator/plan/ip_address.h"

namespace tutti::plan {
namespace {

using tutti::v1::IpFamily;

struct Address {
  IpAddress ip;
  int prefix_length = 0;
  std::string device;

  Endpoint endpoint() const {
    const bool scoped = ip.v6 && IsLinkLocal(ip) && !device.empty();
    return Endpoint{scoped ? absl::StrCat(ToString(ip), "%", device) : ToString(ip), device};
  }
};
using Addresses = std::vector<Address>;

bool InFamily(const IpAddress& ip, IpFamily family) {
  return family == tutti::v1::IP_FAMILY_ANY || ip.v6 == (family == tutti::v1::IP_FAMILY_V6);
}

Addresses AllOf(const Candidate& host) {
  Addresses all;
  for (const auto& fact : host.facts.addresses()) {
    std::optional<IpAddress> ip = ParseIpAddress(fact.address());
    if (ip && !IsUnspecified(*ip))
      all.push_back({*ip, static_cast<int>(fact.prefix_length()), fact.device()});
  }
  return all;
}

Addresses InFamily(const Addresses& addresses, IpFamily family) {
  Addresses chosen;
  for (const Address& address : addresses) {
    if (InFamily(address.ip, family)) chosen.push_back(address);
  }
  return chosen;
}

// For data between hosts when no interface is named.
Addresses Routable(const Addresses& addresses) {
  Addresses chosen;
  for (const Address& address : addresses) {
    if (!IsLoopback(address.ip) && !IsLinkLocal(address.ip)) chosen.push_back(address);
  }
  return chosen;
}

std::string List(const Candidate& host) {
  std::vector<std::string> parts;
  for (const Address& address : AllOf(host)) {
    parts.push_back(absl::StrCat(ToString(address.ip), "/", address.prefix_length,
                                 address.device.empty() ? "" : absl::StrCat(" on ", address.device)));
  }
  return absl::StrCat(host.name, " has ", parts.empty() ? "no address" : absl::StrJoin(parts, ", "));
}

std::string ListBoth(const Candidate& from, const Candidate& to) {
  return from.name == to.name ? List(from) : absl::StrCat(List(from), "; ", List(to));
}

std::string FamilyName(IpFamily family) {
  switch (family) {
    case tutti::v1::IP_FAMILY_V4:
      return "IPv4 ";
    case tutti::v1::IP_FAMILY_V6:
      return "IPv6 ";
    default:
      return "";
  }
}

// The address by which the worker reaches its coordinator, among those it lets us use.
std::optional<Address> Control(const Candidate& host) {
  std::optional<IpAddress> ip = ParseIpAddress(host.control_address);
  if (!ip) return std::nullopt;
  const Addresses all = AllOf(host);
  for (const Address& address : all) {
    if (address.ip == *ip) return address;
  }
  // A worker that lists none has told us nothing else. 127.0.0.0/8 is its own without being listed.
  if (all.empty() || IsLoopback(*ip)) return Address{*ip, ip->v6 ? 128 : 32, IsLoopback(*ip) ? "lo" : ""};
  return std::nullopt;
}

// One of several that all fit.
absl::StatusOr<Address> PickOne(const Candidate& host, const Addresses& fitting, const std::string& network) {
  if (fitting.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("host ", host.name, " has no address in the network ", network, ": ", List(host)));
  }
  if (std::optional<Address> control = Control(host)) {
    for (const Address& address : fitting) {
      if (address.ip == control->ip) return address;
    }
  }
  for (const Address& address : fitting) {
    if (address.device == fitting[0].device) continue;
    return absl::FailedPreconditionError(absl::StrCat("host ", host.name, " has addresses in the network ",
                                                      network, " on several interfaces: ", List(host),
                                                      "; write a narrower CIDR or the interface"));
  }
  return fitting[0];
}

absl::StatusOr<EndpointPair> InCidr(const Candidate& from, const Candidate& to, const std::string& network,
                                    const Cidr& cidr, IpFamily family) {
  EndpointPair pair;
  for (const auto& [host, endpoint] : {std::pair(&from, &pair.from), std::pair(&to, &pair.to)}) {
    Addresses fitting;
    for (const Address& address : InFamily(AllOf(*host), family)) {
      const bool loopback_elsewhere = IsLoopback(address.ip) && from.name != to.name;
      if (Contains(cidr, address.ip) && !loopback_elsewhere) fitting.push_back(address);
    }
    TUTTI_ASSIGN_OR_RETURN(Address address, PickOne(*host, fitting, network));
    *endpoint = address.endpoint();
  }
  return pair;
}

absl::StatusOr<Addresses> OnInterface(const Candidate& host, const std::string& device) {
  Addresses fitting;
  std::set<std::string> devices;
  for (const Address& address : AllOf(host)) {
    devices.insert(address.device);
    if (address.device == device) fitting.push_back(address);
  }
  for (const auto& known : host.facts.devices()) devices.insert(known.name());
  if (!fitting.empty()) return fitting;
  return absl::FailedPreconditionError(absl::StrCat(
      "host ", host.name,
      devices.count(device) > 0 ? " has no address on the interface " : " has no interface ", device, ": ",
      devices.count(device) > 0 ? List(host) : absl::StrCat("it has ", absl::StrJoin(devices, ", "))));
}

absl::StatusOr<EndpointPair> ByInterface(const Candidate& from, const Candidate& to,
                                         const std::string& device, IpFamily family) {
  TUTTI_ASSIGN_OR_RETURN(const Addresses from_all, OnInterface(from, device));
  TUTTI_ASSIGN_OR_RETURN(const Addresses to_all, OnInterface(to, device));
  // The first kind that both ends have.
  for (const bool link_local : {false, true}) {
    for (const bool v6 : {false, true}) {
      const auto first = [&](const Addresses& addresses) -> const Address* {
        for (const Address& address : addresses) {
          const bool loopback_elsewhere = IsLoopback(address.ip) && from.name != to.name;
          if (address.ip.v6 == v6 && IsLinkLocal(address.ip) == link_local && InFamily(address.ip, family) &&
              !loopback_elsewhere) {
            return &address;
          }
        }
        return nullptr;
      };
      const Address* a = first(from_all);
      const Address* b = first(to_all);
      if (a != nullptr && b != nullptr) return EndpointPair{a->endpoint(), b->endpoint()};
    }
  }
  return absl::FailedPreconditionError(
      absl::StrCat("hosts ", from.name, " and ", to.name, " have no ", FamilyName(family),
                   "addresses of one kind on the interface ", device, ": ", ListBoth(from, to)));
}

Addresses UsableBetween(const Candidate& host, IpFamily family) {
  std::optional<Address> control = Control(host);
  const bool usable =
      control && InFamily(control->ip, family) && !IsLoopback(control->ip) && !IsLinkLocal(control->ip);
  return usable ? Addresses{*control} : Routable(InFamily(AllOf(host), family));
}

// Pairs of addresses in one subnet, of one family.
std::vector<std::pair<Address, Address>> SharedSubnets(const Addresses& from, const Addresses& to, bool v6) {
  std::vector<std::pair<Address, Address>> shared;
  for (const Address& a : from) {
    for (const Address& b : to) {
      if (a.ip.v6 != v6 || a.prefix_length != b.prefix_length) continue;
      if (SameSubnet(a.ip, b.ip, a.prefix_length)) shared.emplace_back(a, b);
    }
  }
  return shared;
}

absl::StatusOr<EndpointPair> BySharedSubnet(const Candidate& from, const Candidate& to, IpFamily family) {
  const auto search = [&](const Addresses& a,
                          const Addresses& b) -> absl::StatusOr<std::optional<EndpointPair>> {
    for (const bool v6 : {false, true}) {
      const auto shared = SharedSubnets(a, b, v6);
      if (shared.empty()) continue;
      const auto& [first_a, first_b] = shared[0];
      for (const auto& [x, y] : shared) {
        const bool same = x.device == first_a.device && y.device == first_b.device &&
                          x.prefix_length == first_a.prefix_length &&
                          SameSubnet(x.ip, first_a.ip, x.prefix_length);
        if (same) continue;
        return absl::FailedPreconditionError(
            absl::StrCat("hosts ", from.name, " and ", to.name, " share several ", FamilyName(family),
                         "subnets: ", ListBoth(from, to), "; choose one with network: CIDR"));
      }
      return std::optional(EndpointPair{first_a.endpoint(), first_b.endpoint()});
    }
    return std::optional<EndpointPair>();
  };
  TUTTI_ASSIGN_OR_RETURN(std::optional<EndpointPair> found,
                         search(UsableBetween(from, family), UsableBetween(to, family)));
  if (!found) {
    // Control addresses of two families, or in subnets that the other host is not in.
    TUTTI_ASSIGN_OR_RETURN(
        found, search(Routable(InFamily(AllOf(from), family)), Routable(InFamily(AllOf(to), family))));
  }
  if (found) return *found;
  return absl::FailedPreconditionError(absl::StrCat(
      "hosts ", from.name, " and ", to.name, " share no ", FamilyName(family), "subnet: ", ListBoth(from, to),
      "; choose their addresses with network: CIDR or INTERFACE"));
}

absl::StatusOr<EndpointPair> ByDefault(const Candidate& from, const Candidate& to, IpFamily family) {
  std::optional<Address> a = Control(from), b = Control(to);
  if (!a || !b) return BySharedSubnet(from, to, family);
  const bool one_machine = !from.facts.boot_id().empty() && from.facts.boot_id() == to.facts.boot_id();
  if (IsLoopback(a->ip) && IsLoopback(b->ip) && one_machine) {
    // Both reached the coordinator over the same loopback device, so they can reach each other there.
    if (a->ip.v6 == b->ip.v6 && InFamily(a->ip, family)) return EndpointPair{a->endpoint(), b->endpoint()};
    const std::string loopback = family == tutti::v1::IP_FAMILY_V6 ? "::1" : "127.0.0.1";
    return EndpointPair{{loopback, "lo"}, {loopback, "lo"}};
  }
  const auto usable = [&](const Address& address) {
    return !IsLoopback(address.ip) && !IsLinkLocal(address.ip) && InFamily(address.ip, family);
  };
  if (usable(*a) && usable(*b) && a->ip.v6 == b->ip.v6) return EndpointPair{a->endpoint(), b->endpoint()};
  return BySharedSubnet(from, to, family);
}

}  // namespace

absl::StatusOr<EndpointPair> ChooseAddresses(const Candidate& from, const Candidate& to,
                                             const std::string& network, IpFamily family) {
  if (!network.empty()) {
    absl::StatusOr<Cidr> cidr = ParseCidr(network);
    return cidr.ok() ? InCidr(from, to, network, *cidr, family) : ByInterface(from, to, network, family);
  }
  if (from.name == to.name) {
    const std::string loopback = family == tutti::v1::IP_FAMILY_V6 ? "::1" : "127.0.0.1";
    return EndpointPair{{loopback, "lo"}, {loopback, "lo"}};
  }
  return ByDefault(from, to, family);
}

}  // namespace tutti::plan
