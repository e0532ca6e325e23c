// The way to one worker over its session. The fleet knows no more of gRPC than this.
#pragma once

#include <cstdint>
#include <string>

#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

// Thread-safe; no call blocks. After the session has ended every call is without effect.
class WorkerLink {
 public:
  virtual ~WorkerLink() = default;

  // Queues a message. A worker that lets its bounded queue fill up loses its session.
  virtual void Send(tutti::v1::CoordinatorMessage message) = 0;

  // Sends a clock probe ahead of everything queued; it is stamped right before it is written. A probe that
  // still waits is replaced.
  virtual void SendProbe(uint64_t sequence) = 0;

  // Ends the session after everything queued was sent.
  virtual void Close() = 0;

  // Ends the session at once.
  virtual void Break() = 0;

  // Where the session comes from, as gRPC names it ("ipv4:10.1.0.2:40912", "unix:").
  virtual std::string peer() const = 0;
};

}  // namespace tutti::fleet
