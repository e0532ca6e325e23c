#include "coordinator/results/wire_rate.h"

#include <algorithm>

namespace tutti::results {
namespace {

constexpr uint64_t kFrameOverheadBytes = 38;
constexpr uint64_t kShortestFrameBytes = 84;
constexpr uint64_t kUdpHeader = 8;
constexpr uint64_t kTcpHeader = 20;
constexpr uint64_t kMostTcpOptions = 40;
constexpr uint64_t kTimestampOption = 12;
constexpr uint64_t kFragmentUnit = 8;

uint64_t FrameBytes(uint64_t packet_bytes) {
  return std::max(kShortestFrameBytes, packet_bytes + kFrameOverheadBytes);
}

// nullopt where the MTU cannot carry a fragment.
std::optional<uint64_t> UdpWireBytes(const WireShape& shape) {
  const uint64_t ip_header = shape.ipv6 ? 40 : 20;
  const uint64_t datagram = shape.message_size_bytes + kUdpHeader;
  if (datagram + ip_header <= shape.path_mtu_bytes) return FrameBytes(datagram + ip_header);
  // IPv6 has its fragment header as an extension of 8 bytes; IPv4 in its own header.
  const uint64_t header = ip_header + (shape.ipv6 ? 8 : 0);
  if (shape.path_mtu_bytes < header + kFragmentUnit) return std::nullopt;
  const uint64_t per_fragment = (shape.path_mtu_bytes - header) / kFragmentUnit * kFragmentUnit;
  const uint64_t full = datagram / per_fragment;
  const uint64_t rest = datagram % per_fragment;
  return full * FrameBytes(per_fragment + header) + (rest > 0 ? FrameBytes(rest + header) : 0);
}

}  // namespace

std::optional<double> WirePerPayload(const WireShape& shape) {
  if (shape.protocol == tutti::v1::PROTOCOL_UDP) {
    if (shape.path_mtu_bytes == 0 || shape.message_size_bytes == 0) return std::nullopt;
    const std::optional<uint64_t> wire = UdpWireBytes(shape);
    if (!wire.has_value()) return std::nullopt;
    return static_cast<double>(*wire) / static_cast<double>(shape.message_size_bytes);
  }
  if (shape.protocol == tutti::v1::PROTOCOL_TCP) {
    const uint64_t ip_header = shape.ipv6 ? 40 : 20;
    if (shape.mss_bytes == 0 || shape.path_mtu_bytes < shape.mss_bytes + ip_header + kTcpHeader)
      return std::nullopt;
    // tcpi_snd_mss is what is left of the MTU after headers and options. Where more is left than options may
    // take (40 B), the segment size was limited otherwise, and the options are taken to be the usual
    // timestamps.
    uint64_t options = shape.path_mtu_bytes - shape.mss_bytes - ip_header - kTcpHeader;
    if (options > kMostTcpOptions) options = kTimestampOption;
    const uint64_t packet = shape.mss_bytes + ip_header + kTcpHeader + options;
    return static_cast<double>(FrameBytes(packet)) / static_cast<double>(shape.mss_bytes);
  }
  return std::nullopt;
}

}  // namespace tutti::results
