// Addresses and networks as numbers, IPv4 and IPv6. Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tutti::plan {

struct IpAddress {
  bool v6 = false;
  std::array<uint8_t, 16> bytes = {};  // the first 4 where not v6, network order

  bool operator==(const IpAddress&) const = default;
};

struct Cidr {
  IpAddress network;
  int prefix_length = 0;
};

// As inet_pton(3) reads it; a "%scope" behind it is ignored, "::ffff:1.2.3.4" is the IPv4 address.
std::optional<IpAddress> ParseIpAddress(std::string_view text);
std::string ToString(const IpAddress& address);

bool IsLoopback(const IpAddress& address);
bool IsLinkLocal(const IpAddress& address);  // fe80::/10, 169.254.0.0/16
bool IsUnspecified(const IpAddress& address);

// InvalidArgument: no address, a prefix length out of range, or bits behind the prefix.
absl::StatusOr<Cidr> ParseCidr(std::string_view text);
bool Contains(const Cidr& cidr, const IpAddress& address);
// Whether the first `prefix_length` bits are equal; false for different families.
bool SameSubnet(const IpAddress& a, const IpAddress& b, int prefix_length);

}  // namespace tutti::plan
