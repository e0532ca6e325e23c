#include "coordinator/lab/route_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::lab {
namespace {

constexpr size_t kBufferBytes = 8192;

// 02: locally administered; then "tut".
std::array<uint8_t, 6> Mac(uint16_t tail) {
  return {0x02, 0x74, 0x75, 0x74, static_cast<uint8_t>(tail >> 8), static_cast<uint8_t>(tail & 0xff)};
}

nlmsghdr* NewMessage(std::vector<char>& buffer, uint16_t type, uint16_t flags) {
  nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = type;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
  return header;
}

absl::StatusOr<int> IndexOf(const std::string& name) {
  const unsigned index = if_nametoindex(name.c_str());
  if (index == 0) return ErrnoStatus(errno, absl::StrCat("find link ", name));
  return static_cast<int>(index);
}

}  // namespace

absl::StatusOr<std::unique_ptr<RouteSocket>> RouteSocket::Open() {
  mnl_socket* socket = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
  if (socket == nullptr) return ErrnoStatus(errno, "open a netlink socket");
  if (mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0) {
    const int error = errno;
    mnl_socket_close(socket);
    return ErrnoStatus(error, "bind a netlink socket");
  }
  return std::unique_ptr<RouteSocket>(new RouteSocket(socket));
}

RouteSocket::~RouteSocket() { mnl_socket_close(socket_); }

absl::Status RouteSocket::AddBridge(const std::string& name, uint16_t mac_tail) {
  std::vector<char> buffer(kBufferBytes);
  nlmsghdr* message = NewMessage(buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  auto* info = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  info->ifi_family = AF_UNSPEC;
  mnl_attr_put_strz(message, IFLA_IFNAME, name.c_str());
  const auto mac = Mac(mac_tail);
  mnl_attr_put(message, IFLA_ADDRESS, mac.size(), mac.data());
  nlattr* link_info = mnl_attr_nest_start(message, IFLA_LINKINFO);
  mnl_attr_put_str(message, IFLA_INFO_KIND, "bridge");
  nlattr* data = mnl_attr_nest_start(message, IFLA_INFO_DATA);
  mnl_attr_put_u32(message, IFLA_BR_STP_STATE, 0);
  mnl_attr_put_u32(message, IFLA_BR_FORWARD_DELAY, 0);
  mnl_attr_put_u8(message, IFLA_BR_MCAST_SNOOPING, 0);
  mnl_attr_nest_end(message, data);
  mnl_attr_nest_end(message, link_info);
  return Send(message, absl::StrCat("add bridge ", name));
}

absl::Status RouteSocket::AddVeth(const std::string& name, const std::string& bridge, const std::string& peer,
                                  int peer_pid, uint16_t peer_mac_tail) {
  TUTTI_ASSIGN_OR_RETURN(const int bridge_index, IndexOf(bridge));
  std::vector<char> buffer(kBufferBytes);
  nlmsghdr* message = NewMessage(buffer, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  auto* info = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  info->ifi_family = AF_UNSPEC;
  mnl_attr_put_strz(message, IFLA_IFNAME, name.c_str());
  mnl_attr_put_u32(message, IFLA_MASTER, bridge_index);
  nlattr* link_info = mnl_attr_nest_start(message, IFLA_LINKINFO);
  mnl_attr_put_str(message, IFLA_INFO_KIND, "veth");
  nlattr* data = mnl_attr_nest_start(message, IFLA_INFO_DATA);
  nlattr* peer_info = mnl_attr_nest_start(message, VETH_INFO_PEER);
  mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg));
  mnl_attr_put_strz(message, IFLA_IFNAME, peer.c_str());
  mnl_attr_put_u32(message, IFLA_NET_NS_PID, peer_pid);
  const auto mac = Mac(peer_mac_tail);
  mnl_attr_put(message, IFLA_ADDRESS, mac.size(), mac.data());
  mnl_attr_nest_end(message, peer_info);
  mnl_attr_nest_end(message, data);
  mnl_attr_nest_end(message, link_info);
  return Send(message, absl::StrCat("add link ", name, " to ", bridge));
}

absl::Status RouteSocket::SetUp(const std::string& name) {
  TUTTI_ASSIGN_OR_RETURN(const int index, IndexOf(name));
  std::vector<char> buffer(kBufferBytes);
  nlmsghdr* message = NewMessage(buffer, RTM_NEWLINK, 0);
  auto* info = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  info->ifi_family = AF_UNSPEC;
  info->ifi_index = index;
  nlattr* families = mnl_attr_nest_start(message, IFLA_AF_SPEC);
  nlattr* inet6 = mnl_attr_nest_start(message, AF_INET6);
  mnl_attr_put_u8(message, IFLA_INET6_ADDR_GEN_MODE, IN6_ADDR_GEN_MODE_NONE);
  mnl_attr_nest_end(message, inet6);
  mnl_attr_nest_end(message, families);
  // A kernel without IPv6 refuses; it makes no such addresses either.
  static_cast<void>(Send(message, "leave out link-local addresses"));

  message = NewMessage(buffer, RTM_NEWLINK, 0);
  info = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifinfomsg)));
  info->ifi_family = AF_UNSPEC;
  info->ifi_index = index;
  info->ifi_flags = IFF_UP;
  info->ifi_change = IFF_UP;
  return Send(message, absl::StrCat("bring up link ", name));
}

absl::Status RouteSocket::AddAddress(const std::string& name, const std::string& address, int prefix_bits) {
  TUTTI_ASSIGN_OR_RETURN(const int index, IndexOf(name));
  std::array<uint8_t, 16> bytes{};
  const int family = address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  if (inet_pton(family, address.c_str(), bytes.data()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("not an address: ", address));
  }
  const size_t length = family == AF_INET ? 4 : 16;
  std::vector<char> buffer(kBufferBytes);
  nlmsghdr* message = NewMessage(buffer, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
  auto* header = static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(message, sizeof(ifaddrmsg)));
  header->ifa_family = static_cast<uint8_t>(family);
  header->ifa_prefixlen = static_cast<uint8_t>(prefix_bits);
  header->ifa_index = index;
  header->ifa_scope = RT_SCOPE_UNIVERSE;
  if (family == AF_INET6) header->ifa_flags = IFA_F_NODAD;
  mnl_attr_put(message, IFA_LOCAL, length, bytes.data());
  mnl_attr_put(message, IFA_ADDRESS, length, bytes.data());
  return Send(message, absl::StrCat("add address ", address, "/", prefix_bits, " to ", name));
}

absl::Status RouteSocket::Send(nlmsghdr* message, const std::string& what) {
  message->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_, message, message->nlmsg_len) < 0) return ErrnoStatus(errno, what);
  std::vector<char> answer(kBufferBytes);
  const ssize_t received = mnl_socket_recvfrom(socket_, answer.data(), answer.size());
  if (received < 0) return ErrnoStatus(errno, what);
  const unsigned port = mnl_socket_get_portid(socket_);
  if (mnl_cb_run(answer.data(), received, sequence_, port, nullptr, nullptr) < 0)
    return ErrnoStatus(errno, what);
  return absl::OkStatus();
}

}  // namespace tutti::lab
