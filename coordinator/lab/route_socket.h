// Links and addresses of one network namespace, over rtnetlink (man 7 rtnetlink; <linux/if_link.h>).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct mnl_socket;
struct nlmsghdr;

namespace tutti::lab {

// Acts on the network namespace in which it was opened. Not thread-safe. Every call waits for the kernel's
// answer; errors name the link.
class RouteSocket {
 public:
  static absl::StatusOr<std::unique_ptr<RouteSocket>> Open();
  ~RouteSocket();
  RouteSocket(const RouteSocket&) = delete;
  RouteSocket& operator=(const RouteSocket&) = delete;

  // A bridge without spanning tree, forward delay and multicast snooping. `mac_tail` is the end of its own
  // address, so that it does not change with its ports.
  absl::Status AddBridge(const std::string& name, uint16_t mac_tail);

  // A pair of links: `name` here, as a port of `bridge`, and `peer` in the namespace of process `peer_pid`.
  absl::Status AddVeth(const std::string& name, const std::string& bridge, const std::string& peer,
                       int peer_pid, uint16_t peer_mac_tail);

  // Brings a link up, without a link-local IPv6 address of its own making.
  absl::Status SetUp(const std::string& name);

  // IPv4 or IPv6 (then usable at once: no duplicate address detection).
  absl::Status AddAddress(const std::string& name, const std::string& address, int prefix_bits);

 private:
  explicit RouteSocket(mnl_socket* socket) : socket_(socket) {}

  absl::Status Send(nlmsghdr* message, const std::string& what);

  mnl_socket* socket_;
  uint32_t sequence_ = 0;
};

}  // namespace tutti::lab
