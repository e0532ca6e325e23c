#include "worker/observe/route_lookup.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/links.h"
#include "worker/observe/rtnetlink.h"

namespace tutti::observe {
namespace {

struct Address {
  int family = 0;
  in6_addr raw{};  // an IPv4 address in its first 4 bytes
  std::string scope_device;
  size_t size() const { return family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr); }
};

absl::StatusOr<Address> ParseAddress(const std::string& text) {
  Address address;
  const size_t percent = text.find('%');
  const std::string bare = text.substr(0, percent);
  if (percent != std::string::npos) address.scope_device = text.substr(percent + 1);
  address.family = bare.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(address.family, bare.c_str(), &address.raw) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("look up a route: \"", text, "\" is not a numeric address"));
  }
  return address;
}

nlmsghdr* BuildRequest(const Address& source, const Address& destination, uint32_t device_index,
                       char* buffer) {
  nlmsghdr* header = mnl_nlmsg_put_header(buffer);
  header->nlmsg_type = RTM_GETROUTE;
  // With an acknowledgement, so that the end of the answer is told.
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  auto* body = static_cast<rtmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(rtmsg)));
  body->rtm_family = static_cast<uint8_t>(source.family);
  body->rtm_src_len = static_cast<uint8_t>(source.size() * 8);
  body->rtm_dst_len = static_cast<uint8_t>(source.size() * 8);
  mnl_attr_put(header, RTA_SRC, source.size(), &source.raw);
  mnl_attr_put(header, RTA_DST, destination.size(), &destination.raw);
  if (device_index != 0) mnl_attr_put_u32(header, RTA_OIF, device_index);
  return header;
}

struct Answer {
  int device_index = 0;
  uint32_t mtu_bytes = 0;
  bool local = false;
};

void ReadAnswer(const nlmsghdr* header, Answer* answer) {
  if (header->nlmsg_type != RTM_NEWROUTE) return;
  answer->local = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(header))->rtm_type == RTN_LOCAL;
  ForEachAttribute(header, sizeof(rtmsg), [&](const nlattr* attribute) {
    if (mnl_attr_get_type(attribute) == RTA_OIF)
      answer->device_index = static_cast<int>(mnl_attr_get_u32(attribute));
    if (mnl_attr_get_type(attribute) != RTA_METRICS) return;
    ForEachNested(attribute, [&](const nlattr* metric) {
      if (mnl_attr_get_type(metric) == RTAX_MTU) answer->mtu_bytes = mnl_attr_get_u32(metric);
    });
  });
}

}  // namespace

absl::StatusOr<Route> LookupRoute(const std::string& source, const std::string& destination,
                                  const std::string& bound_device) {
  TUTTI_ASSIGN_OR_RETURN(const Address from, ParseAddress(source));
  TUTTI_ASSIGN_OR_RETURN(const Address to, ParseAddress(destination));
  const std::string what = absl::StrCat("look up the route from ", source, " to ", destination);
  if (from.family != to.family)
    return absl::InvalidArgumentError(absl::StrCat(what, ": two address families"));
  const std::string device =
      !bound_device.empty() ? bound_device : (!to.scope_device.empty() ? to.scope_device : from.scope_device);
  const uint32_t device_index = device.empty() ? 0 : if_nametoindex(device.c_str());
  if (!device.empty() && device_index == 0) {
    return absl::NotFoundError(absl::StrCat(what, ": this host has no device \"", device, "\""));
  }
  Answer answer;
  TUTTI_RETURN_IF_ERROR(RtnetlinkRequest(
      what, [&](char* buffer) { return BuildRequest(from, to, device_index, buffer); },
      [&](const nlmsghdr* header) { ReadAnswer(header, &answer); }, [&] { answer = Answer(); }));
  TUTTI_ASSIGN_OR_RETURN(const std::vector<Link> links, ListLinks());
  for (const Link& link : links) {
    if (link.index != answer.device_index) continue;
    return Route{link.name, answer.mtu_bytes != 0 ? answer.mtu_bytes : link.mtu_bytes, answer.local};
  }
  return absl::NotFoundError(absl::StrCat(what, ": the kernel names device ", answer.device_index,
                                          ", which this namespace does not have"));
}

std::string RouteWarning(const Route& route, const std::string& expected_device, bool asked,
                         const std::string& destination) {
  if (expected_device.empty() || route.device == expected_device) return "";
  // Traffic to an own address goes over lo whatever device holds it; that is a fact, not a mistake.
  if (route.local && !asked) return "";
  return absl::StrCat("leaves by ", route.device, " and not by ", expected_device,
                      asked ? ", which the plan names" : ", which holds its source address",
                      ": so the kernel routes ", destination, "; see `ip route get ", destination, "`");
}

}  // namespace tutti::observe
