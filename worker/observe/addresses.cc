#include "worker/observe/addresses.h"

#include <arpa/inet.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <map>
#include <optional>
#include <string>

#include "common/status/macros.h"
#include "worker/observe/rtnetlink.h"

namespace tutti::observe {
namespace {

nlmsghdr* BuildRequest(char* buffer) {
  nlmsghdr* header = mnl_nlmsg_put_header(buffer);
  header->nlmsg_type = RTM_GETADDR;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  auto* body = static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifaddrmsg)));
  body->ifa_family = AF_UNSPEC;
  return header;
}

bool IsLoopback(int family, const void* raw) {
  if (family == AF_INET) return *static_cast<const uint8_t*>(raw) == 127;
  return IN6_IS_ADDR_LOOPBACK(static_cast<const in6_addr*>(raw));
}

bool IsLinkLocal(int family, const void* raw) {
  const auto* bytes = static_cast<const uint8_t*>(raw);
  if (family == AF_INET) return bytes[0] == 169 && bytes[1] == 254;  // RFC 3927
  return IN6_IS_ADDR_LINKLOCAL(static_cast<const in6_addr*>(raw));
}

std::optional<v1::HostAddress> ReadAddress(const nlmsghdr* header, const std::map<int, std::string>& names) {
  const auto* body = static_cast<const ifaddrmsg*>(mnl_nlmsg_get_payload(header));
  if (body->ifa_family != AF_INET && body->ifa_family != AF_INET6) return std::nullopt;
  const void* local = nullptr;
  const void* address = nullptr;
  uint32_t flags = body->ifa_flags;
  const size_t needed = body->ifa_family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  ForEachAttribute(header, sizeof(ifaddrmsg), [&](const nlattr* attribute) {
    const uint16_t type = mnl_attr_get_type(attribute);
    if (type == IFA_FLAGS) flags = mnl_attr_get_u32(attribute);
    if (mnl_attr_get_payload_len(attribute) < needed) return;
    // On point-to-point links IFA_ADDRESS is the peer's; IFA_LOCAL, if there, is ours (linux/if_addr.h).
    if (type == IFA_LOCAL) local = mnl_attr_get_payload(attribute);
    if (type == IFA_ADDRESS) address = mnl_attr_get_payload(attribute);
  });
  if (local == nullptr) local = address;
  if (local == nullptr || (flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED)) != 0)
    return std::nullopt;
  const auto name = names.find(static_cast<int>(body->ifa_index));
  if (name == names.end()) return std::nullopt;
  char text[INET6_ADDRSTRLEN];
  if (inet_ntop(body->ifa_family, local, text, sizeof(text)) == nullptr) return std::nullopt;
  v1::HostAddress result;
  result.set_address(text);
  result.set_prefix_length(body->ifa_prefixlen);
  result.set_device(name->second);
  result.set_loopback(IsLoopback(body->ifa_family, local));
  result.set_link_local(IsLinkLocal(body->ifa_family, local));
  return result;
}

}  // namespace

absl::StatusOr<std::vector<v1::HostAddress>> ListAddresses(const std::vector<Link>& links) {
  std::map<int, std::string> names;
  for (const Link& link : links) names[link.index] = link.name;
  std::vector<v1::HostAddress> addresses;
  TUTTI_RETURN_IF_ERROR(RtnetlinkRequest(
      "list the addresses", BuildRequest,
      [&](const nlmsghdr* header) {
        if (header->nlmsg_type != RTM_NEWADDR) return;
        if (auto address = ReadAddress(header, names)) addresses.push_back(std::move(*address));
      },
      [&] { addresses.clear(); }));
  return addresses;
}

}  // namespace tutti::observe
