// The TCP connection that a client makes in CONNECT.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/load_trial.h"
#include "worker/load/socket_address.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Used by the driving thread until Arm, then by the stream's; ReadTcp also by the sampler. `config` and
// `report` outlive it.
class ClientConnection {
 public:
  ClientConnection(const StreamConfig& config, StreamReport& report) : config_(config), report_(report) {}

  // Opens, configures, binds.
  absl::Status Prepare();
  // The phases of CONNECT, as Stream has them. Once connected the socket blocks, for at most kWakeUpNs per
  // call, and its options are read back.
  absl::Status Begin(uint16_t target_port);
  Stream::Wish wish() const;
  absl::Status OnReady();
  absl::Status TimedOut() const;

  int fd() const { return socket_.get(); }
  const SocketAddress& source() const { return source_; }  // without a port
  const SocketAddress& peer() const { return peer_; }

  // The sampler's columns of this stream.
  void ReadTcp(Edge& edge, size_t index) const;
  // At the end of the trial: TCP_INFO, and a normal close where nothing is queued and nothing failed.
  void Complete();
  void Close() { socket_.Close(); }

 private:
  absl::Status Connected();

  const StreamConfig& config_;
  StreamReport& report_;
  FileDescriptor socket_;
  SocketAddress source_;
  SocketAddress peer_;
  bool connecting_ = false;
};

}  // namespace tutti::load
