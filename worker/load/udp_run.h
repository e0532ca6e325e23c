// Datagrams of one receive call that one send call had sent (GSO, sendmmsg): told apart once, counted
// together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/load/udp_header.h"
#include "worker/load/udp_read.h"

namespace tutti::load {

// They differ in nothing but their number, which rises by one.
struct UdpRun {
  UdpHeader first;
  uint32_t datagrams = 1;
  size_t datagram_bytes = 0;  // of each
};

// The run that begins with the datagram `i` of the `count` that the last call of `way` gave; each has to be
// looked at, since the network may have joined what other calls had sent. Datagram `i` holds a whole header.
template <class Way>
UdpRun UdpRunFrom(const Way& way, uint32_t i, uint32_t count) {
  const Datagram datagram = way.datagram(i);
  UdpRun run{.first = DecodeUdpHeader(datagram.data), .datagram_bytes = datagram.size};
  for (; i + run.datagrams < count; ++run.datagrams) {
    const Datagram next = way.datagram(i + run.datagrams);
    if (next.size != datagram.size) break;
    const UdpHeader header = DecodeUdpHeader(next.data);
    if (header.nonce != run.first.nonce || header.send_trial_ns != run.first.send_trial_ns ||
        header.sequence != run.first.sequence + run.datagrams) {
      break;
    }
  }
  return run;
}

}  // namespace tutti::load
