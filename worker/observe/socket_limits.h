// What this process may ask of sockets and files.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"

namespace tutti::observe {

struct SocketLimits {
  uint64_t rmem_max_bytes = 0;
  uint64_t wmem_max_bytes = 0;
  bool may_force_buffers = false;  // SO_RCVBUFFORCE worked on a real socket: it needs CAP_NET_ADMIN in the
                                   // namespace of the machine's users (sock_setsockopt in net/core/sock.c)
};

// net.core.{r,w}mem_max come from /proc/sys where they show; in a network namespace of an older kernel they
// do not, and are then measured: a socket that asks for more than the limit is given the limit, which
// getsockopt tells doubled.
absl::StatusOr<SocketLimits> ReadSocketLimits();

// Raises RLIMIT_NOFILE of this process to its hard limit and returns the limit that holds now.
absl::StatusOr<uint64_t> RaiseOpenFiles();

}  // namespace tutti::observe
