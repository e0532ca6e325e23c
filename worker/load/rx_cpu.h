// On which CPU the kernel serves a socket's receive queue.
#pragma once

#include <cstdint>
#include <optional>

namespace tutti::load {

// SO_INCOMING_CPU (socket(7)): the CPU that handled the socket's latest packet; nullopt where none was
// handled or the kernel does not note it, as for UDP sockets that are not connected. Thread-safe.
std::optional<uint32_t> RxCpu(int fd);

}  // namespace tutti::load
