// What this machine's limits mean for a lab, asked before it is started.
//
// Facts (net/core/sock.c): SO_RCVBUF and SO_SNDBUF clamp the asked size to net.core.rmem_max and wmem_max
// without an error. SO_RCVBUFFORCE and SO_SNDBUFFORCE exceed them, but need CAP_NET_ADMIN in the *initial*
// user namespace: root inside the user namespace of a lab without root gets EPERM.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::lab {

enum class BufferSide { kSend, kReceive };

struct BufferLimits {
  int64_t rmem_max_bytes = 0;  // net.core.rmem_max
  int64_t wmem_max_bytes = 0;  // net.core.wmem_max
  bool may_force = false;      // workers of a lab of this user may use SO_*BUFFORCE
  std::string why_not_force;   // if they may not
};

// Of the labs that this process would start. Opens and closes a socket; no other effect.
absl::StatusOr<BufferLimits> ReadBufferLimits();

// FailedPrecondition if a socket buffer of `bytes` cannot be had: "1 MiB receive buffers are not possible
// here: net.core.rmem_max is 212992 and ...; sysctl -w net.core.rmem_max=1048576".
absl::Status MayUseBuffer(const BufferLimits& limits, BufferSide side, int64_t bytes);

}  // namespace tutti::lab
