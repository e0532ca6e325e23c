// Estimated bits on the wire for payload bits, so that a rate can be compared with a link's speed. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/v1/plan.pb.h"

namespace tutti::results {

struct WireShape {
  tutti::v1::Protocol protocol = tutti::v1::PROTOCOL_UNSPECIFIED;
  bool ipv6 = false;
  uint64_t message_size_bytes = 0;
  uint64_t path_mtu_bytes = 0;  // 0: not known
  uint64_t mss_bytes = 0;       // TCP: tcpi_snd_mss, payload of a full segment; 0: not known
};

// Bits on the wire / payload bits. Every Ethernet frame costs 38 B beside its IP packet: preamble 8, header
// 14, check sequence 4, gap 12 (IEEE 802.3), and is at least 84 B long with them. UDP messages are counted
// with their fragments; TCP is taken as full segments, its acknowledgements left out. nullopt: the MTU or MSS
// is not known.
std::optional<double> WirePerPayload(const WireShape& shape);

}  // namespace tutti::results
