// Bounds of streams: a plan is checked against them before it runs, and a worker refuses what is beyond.
#pragma once

#include <cstdint>

namespace tutti {

// In front of tutti's datagrams: nonce, sequence, send time.
inline constexpr uint64_t kDatagramHeaderBytes = 24;
// What UDP carries over IPv4: 65,535 - 20 (IPv4) - 8 (UDP).
inline constexpr uint64_t kLongestDatagramBytes = 65'507;
// What a buffer for datagrams that the kernel joined has to hold: an IP packet of at most 65,535 bytes.
inline constexpr uint64_t kGroReadBytes = 65'536;

// Messages of one call: UIO_MAXIOV (include/uapi/linux/uio.h), beyond which sendmmsg(2) and recvmmsg(2) cap.
inline constexpr uint32_t kMostBatch = 1'024;
// Of those that one datagram is cut into: UDP_MAX_SEGMENTS before Linux 6.9 (include/linux/udp.h).
inline constexpr uint32_t kMostGsoSegments = 64;

// In which a worker finds out on which CPU a stream's packets arrive.
inline constexpr int64_t kLeastWarmupWithRxNs = 100'000'000;

}  // namespace tutti
