// The 24 bytes at the front of every datagram, big-endian: stream nonce (u64), sequence (u64), send time
// (i64).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/units/stream_bounds.h"

namespace tutti::load {

static_assert(std::endian::native == std::endian::little, "the header's fields are swapped for the wire");

struct UdpHeader {
  static constexpr size_t kBytes = kDatagramHeaderBytes;

  uint64_t nonce = 0;         // of the stream in this trial; any other datagram is foreign
  uint64_t sequence = 0;      // from 0; a failed send consumes none
  int64_t send_trial_ns = 0;  // timeline since T0, read right before the send call
};

inline void EncodeUdpHeader(const UdpHeader& header, unsigned char* out) {
  const uint64_t fields[3] = {__builtin_bswap64(header.nonce), __builtin_bswap64(header.sequence),
                              __builtin_bswap64(static_cast<uint64_t>(header.send_trial_ns))};
  std::memcpy(out, fields, sizeof(fields));
}

// `in` has at least kBytes.
inline UdpHeader DecodeUdpHeader(const unsigned char* in) {
  uint64_t fields[3];
  std::memcpy(fields, in, sizeof(fields));
  return {__builtin_bswap64(fields[0]), __builtin_bswap64(fields[1]),
          static_cast<int64_t>(__builtin_bswap64(fields[2]))};
}

}  // namespace tutti::load
