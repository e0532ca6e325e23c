// What the kernel knows of a TCP connection (TCP_INFO), with SYN and FIN taken out of its byte counts.
#pragma once

#include <cstdint>
#include <optional>

#include "worker/load/load_trial.h"

namespace tutti::load {

// nullopt if the socket cannot be asked. Linux counts sequence numbers: the receiver's FIN is in
// tcpi_bytes_received (tcp_data_queue moves rcv_nxt over it), the SYN of the side that connected and its
// acknowledged FIN are in tcpi_bytes_acked (tcp_ack). All three are taken off, so that the fields are
// payload. Thread-safe.
std::optional<TcpInfo> ReadTcpInfo(int fd, Side side);

// The correction alone. `state` is tcpi_state.
TcpInfo WithoutSynAndFin(TcpInfo info, Side side, uint8_t state);

// Payload that has arrived and was not read yet (SIOCINQ); 0 if the socket cannot be asked. Thread-safe.
uint64_t UnreadBytes(int fd);

// Payload that the kernel of this side counts: received, or sent for the first time.
uint64_t KernelBytes(const TcpInfo& info, Side side);

}  // namespace tutti::load
