#include "coordinator/plan/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tutti::plan {
namespace {

int Bits(const IpAddress& address) { return address.v6 ? 128 : 32; }

IpAddress Masked(IpAddress address, int prefix_length) {
  for (int i = 0; i < Bits(address) / 8; ++i) {
    const int bits = std::clamp(prefix_length - 8 * i, 0, 8);
    address.bytes[i] &= static_cast<uint8_t>(0xFF00 >> bits);
  }
  return address;
}

}  // namespace

std::optional<IpAddress> ParseIpAddress(std::string_view text) {
  const std::string plain(text.substr(0, text.find('%')));
  IpAddress address;
  if (inet_pton(AF_INET, plain.c_str(), address.bytes.data()) == 1) return address;
  if (inet_pton(AF_INET6, plain.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.v6 = true;
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) {
    IpAddress v4;
    std::copy(address.bytes.begin() + 12, address.bytes.end(), v4.bytes.begin());
    return v4;
  }
  return address;
}

std::string ToString(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

bool IsLoopback(const IpAddress& address) {
  if (!address.v6) return address.bytes[0] == 127;
  IpAddress one;
  one.v6 = true;
  one.bytes[15] = 1;
  return address == one;
}

bool IsLinkLocal(const IpAddress& address) {
  if (!address.v6) return address.bytes[0] == 169 && address.bytes[1] == 254;
  return address.bytes[0] == 0xFE && (address.bytes[1] & 0xC0) == 0x80;
}

bool IsUnspecified(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](uint8_t byte) { return byte == 0; });
}

absl::StatusOr<Cidr> ParseCidr(std::string_view text) {
  const std::string whole(text);
  const size_t slash = whole.find('/');
  const std::string length_text = slash == std::string::npos ? "" : whole.substr(slash + 1);
  std::optional<IpAddress> address = ParseIpAddress(whole.substr(0, slash));
  int length = -1;
  const bool digits = !length_text.empty() && length_text.size() <= 3 &&
                      length_text.find_first_not_of("0123456789") == std::string::npos;
  if (!address || whole.find('%') != std::string::npos || !digits ||
      !absl::SimpleAtoi(length_text, &length)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", whole, "\" is no CIDR: write one such as 10.1.0.0/16 or fd00:1::/64"));
  }
  if (length > Bits(*address)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", whole, "\" has a prefix length over ", Bits(*address), ": write a shorter one"));
  }
  Cidr cidr{Masked(*address, length), length};
  if (!(cidr.network == *address)) {
    return absl::InvalidArgumentError(absl::StrCat("\"", whole, "\" has bits behind its prefix: write ",
                                                   ToString(cidr.network), "/", length));
  }
  return cidr;
}

bool Contains(const Cidr& cidr, const IpAddress& address) {
  return SameSubnet(cidr.network, address, cidr.prefix_length);
}

bool SameSubnet(const IpAddress& a, const IpAddress& b, int prefix_length) {
  return a.v6 == b.v6 && Masked(a, prefix_length) == Masked(b, prefix_length);
}

}  // namespace tutti::plan
