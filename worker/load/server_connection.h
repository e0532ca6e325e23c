// The listener of a server and the connection that its client makes in CONNECT.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/load_trial.h"
#include "worker/load/socket_address.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Used by the driving thread until Arm, then by the stream's; ReadTcp also by the sampler. `config`, `report`
// and `counters` outlive it.
class ServerConnection {
 public:
  ServerConnection(const StreamConfig& config, StreamReport& report, const Counters& counters)
      : config_(config), report_(report), counters_(counters) {}

  // Opens, configures, binds, listens.
  absl::Status Prepare();
  uint16_t port() const { return local_.port(); }
  // The phases of CONNECT, as Stream has them. The accepted socket blocks, for at most kWakeUpNs per call,
  // resets on close, and its options are read back.
  Stream::Wish wish() const;
  absl::Status OnReady();
  absl::Status TimedOut() const;

  // Accepts as the listener is set: it blocks or not. A connection from another host is counted and closed;
  // an empty descriptor with `errno`: there is none.
  FileDescriptor Accept();

  int fd() const { return connection_.get(); }
  int listener() const { return listener_.get(); }
  const SocketAddress& local() const { return local_; }

  void ReadTcp(Edge& edge, size_t index) const;
  // At the end of the trial: TCP_INFO, and a normal close where everything was read.
  void Complete();
  void CloseListener() { listener_.Close(); }
  void CloseConnection() { connection_.Close(); }

 private:
  const StreamConfig& config_;
  StreamReport& report_;
  const Counters& counters_;
  FileDescriptor listener_;
  FileDescriptor connection_;
  SocketAddress local_;
  SocketAddress peer_;
};

}  // namespace tutti::load
