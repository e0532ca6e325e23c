// Opening, binding and connecting the sockets of streams, with the errors that people get to read.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/load_trial.h"
#include "worker/load/socket_address.h"

namespace tutti::load {

// A non-blocking TCP socket that resets on close, or a blocking UDP one, with the stream's options set.
absl::StatusOr<FileDescriptor> OpenSocket(const StreamConfig& config, sa_family_t family,
                                          std::vector<OptionOutcome>& outcomes);

// A sender's: the address is bound, and a free port of the range; without a range the port is left to
// connect.
absl::Status BindSource(int fd, const StreamConfig& config, const SocketAddress& local);
// Whether a socket that is not bound would be given the address `local` on its way to `peer`, as routes are
// now for sockets without a mark.
bool IsKernelsChoice(const StreamConfig& config, const SocketAddress& local, const SocketAddress& peer);

// A receiver's: a port of the range that is free, or any if there is no range; TCP listens. Returns
// the address with the port.
absl::StatusOr<SocketAddress> BindReceiver(int fd, const StreamConfig& config, const SocketAddress& local);

// SO_REUSEADDR: whether a port may be bound whose earlier connection lingers in TIME_WAIT. Both have to allow
// it, so that a sender with a port of the plan's sets it once all are bound.
absl::Status ShareWithTimeWait(int fd, bool share);

// "connect tcp 10.0.0.1 -> 10.0.0.2:5201: Connection refused (ECONNREFUSED); ...".
absl::Status ConnectFailed(int errno_value, const StreamConfig& config, const SocketAddress& local,
                           const SocketAddress& peer);

}  // namespace tutti::load
