// What coordinator and worker send each other to measure the worker's clock: datagrams of one size, so that
// both directions take equally long on the wire, and no answer is larger than what caused it.
//
//   worker       -> coordinator  hello: here I am (repeated until a probe arrives)
//   coordinator  -> worker       probe n
//   worker       -> coordinator  reply n: when probe n arrived, and when reply n - 1 had left; the kernel
//   tells
//                                the latter only after the fact
//   worker       -> coordinator  follow-up n, if probe n asked for it: when reply n had left, without waiting
//   for
//                                the next one (as IEEE 1588's message of that name)
//
// Layout, big-endian, 80 bytes: magic u32, kind u8, flags u8, 0 u16, token 16 bytes, sequence u64,
// received i64, received bound u32, sent bound u32, sent sequence u64, sent i64, 16 bytes of 0.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "common/time/clock.h"

namespace tutti::net {

inline constexpr size_t kClockTokenBytes = 16;
inline constexpr size_t kClockDatagramBytes = 80;
using ClockToken = std::array<uint8_t, kClockTokenBytes>;  // random per session, known to its two ends only

enum class ClockDatagramKind : uint8_t { kHello = 1, kProbe = 2, kReply = 3, kFollowUp = 4 };

// Instants are the worker's CLOCK_MONOTONIC, each with a bound of its conversion from the kernel's stamp.
struct ClockDatagram {
  ClockDatagramKind kind = ClockDatagramKind::kHello;
  ClockToken token{};
  uint64_t sequence = 0;
  bool wants_follow_up = false;  // of a probe
  // Of a reply; `sent` of a follow-up too.
  bool has_received = false;  // false: the wall clock was stepped meanwhile, the stamp means nothing
  HostTime received;          // probe `sequence` arrived
  uint32_t received_bound_ns = 0;
  bool has_sent = false;        // false: there was no earlier reply, or its stamp means nothing
  bool sent_by_kernel = false;  // false: the program's stamp from before the call
  uint64_t sent_sequence = 0;   // which reply `sent` is about
  HostTime sent;
  uint32_t sent_bound_ns = 0;

  bool operator==(const ClockDatagram&) const = default;
};

std::array<uint8_t, kClockDatagramBytes> EncodeClockDatagram(const ClockDatagram& datagram);

// nullopt for anything that is not exactly one: wrong size, magic, kind or flags.
std::optional<ClockDatagram> DecodeClockDatagram(std::span<const uint8_t> bytes);

}  // namespace tutti::net
