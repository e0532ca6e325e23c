#include "common/net/clock_datagram.h"

#include <endian.h>

#include <algorithm>
#include <cstring>

namespace tutti::net {
namespace {

constexpr uint32_t kMagic = 0x74434b31;  // "tCK1"
constexpr uint8_t kHasReceived = 1;
constexpr uint8_t kHasSent = 2;
constexpr uint8_t kSentByKernel = 4;
constexpr uint8_t kWantsFollowUp = 8;

// The bytes of the wire; every field is naturally aligned.
struct Layout {
  uint32_t magic;
  uint8_t kind;
  uint8_t flags;
  uint16_t zero;
  uint8_t token[kClockTokenBytes];
  uint64_t sequence;
  uint64_t received_ns;
  uint32_t received_bound_ns;
  uint32_t sent_bound_ns;
  uint64_t sent_sequence;
  uint64_t sent_ns;
  uint8_t padding[16];
};
static_assert(sizeof(Layout) == kClockDatagramBytes);

}  // namespace

std::array<uint8_t, kClockDatagramBytes> EncodeClockDatagram(const ClockDatagram& datagram) {
  Layout wire{};
  wire.magic = htobe32(kMagic);
  wire.kind = static_cast<uint8_t>(datagram.kind);
  wire.flags = static_cast<uint8_t>(
      (datagram.has_received ? kHasReceived : 0) | (datagram.has_sent ? kHasSent : 0) |
      (datagram.sent_by_kernel ? kSentByKernel : 0) | (datagram.wants_follow_up ? kWantsFollowUp : 0));
  std::copy(datagram.token.begin(), datagram.token.end(), wire.token);
  wire.sequence = htobe64(datagram.sequence);
  wire.received_ns = htobe64(static_cast<uint64_t>(datagram.received.ns));
  wire.received_bound_ns = htobe32(datagram.received_bound_ns);
  wire.sent_bound_ns = htobe32(datagram.sent_bound_ns);
  wire.sent_sequence = htobe64(datagram.sent_sequence);
  wire.sent_ns = htobe64(static_cast<uint64_t>(datagram.sent.ns));
  std::array<uint8_t, kClockDatagramBytes> bytes;
  std::memcpy(bytes.data(), &wire, sizeof(wire));
  return bytes;
}

std::optional<ClockDatagram> DecodeClockDatagram(std::span<const uint8_t> bytes) {
  if (bytes.size() != kClockDatagramBytes) return std::nullopt;
  Layout wire;
  std::memcpy(&wire, bytes.data(), sizeof(wire));
  if (be32toh(wire.magic) != kMagic || wire.zero != 0) return std::nullopt;
  if (wire.kind < static_cast<uint8_t>(ClockDatagramKind::kHello) ||
      wire.kind > static_cast<uint8_t>(ClockDatagramKind::kFollowUp)) {
    return std::nullopt;
  }
  if ((wire.flags & ~(kHasReceived | kHasSent | kSentByKernel | kWantsFollowUp)) != 0) return std::nullopt;
  ClockDatagram datagram;
  datagram.kind = static_cast<ClockDatagramKind>(wire.kind);
  std::copy(std::begin(wire.token), std::end(wire.token), datagram.token.begin());
  datagram.sequence = be64toh(wire.sequence);
  datagram.wants_follow_up = (wire.flags & kWantsFollowUp) != 0;
  datagram.has_received = (wire.flags & kHasReceived) != 0;
  datagram.received = {static_cast<int64_t>(be64toh(wire.received_ns))};
  datagram.received_bound_ns = be32toh(wire.received_bound_ns);
  datagram.has_sent = (wire.flags & kHasSent) != 0;
  datagram.sent_by_kernel = (wire.flags & kSentByKernel) != 0;
  datagram.sent_sequence = be64toh(wire.sent_sequence);
  datagram.sent = {static_cast<int64_t>(be64toh(wire.sent_ns))};
  datagram.sent_bound_ns = be32toh(wire.sent_bound_ns);
  return datagram;
}

}  // namespace tutti::net
