// The session's transport, apart from what is said over it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/time/clock.h"
#include "tutti/v1/session.pb.h"

namespace tutti::session {

// One open session. Methods are called on the executor's thread.
class SessionStream {
 public:
  virtual ~SessionStream() = default;

  // Queues the message. Clock replies overtake everything that waits, and get their sent_host_ns when they
  // leave.
  virtual void Send(v1::WorkerMessage message) = 0;

  // Sends what is queued and ends the session in order; on_closed follows.
  virtual void Finish() = 0;

  // Ends the session at once; on_closed follows.
  virtual void Cancel() = 0;
};

// Called on the executor's thread, in order; on_closed once and last, also where no connection came about.
struct SessionHandlers {
  // `received`: read first thing when the message had arrived.
  std::function<void(const v1::CoordinatorMessage& message, HostTime received)> on_message;
  std::function<void(const absl::Status& status)> on_closed;
};

// The two numeric addresses of the way to the coordinator.
struct ControlPath {
  std::string own_address;
  std::string coordinator_address;
};

// Opens sessions. Destroyed after its streams; the destructor waits until nothing of them is left.
class SessionDialer {
 public:
  virtual ~SessionDialer() = default;

  // Errors are those of the configuration (an address that may not be dialled); a coordinator that cannot be
  // reached is told by on_closed.
  virtual absl::StatusOr<std::unique_ptr<SessionStream>> Dial(SessionHandlers handlers) = 0;

  // Empty for a Unix socket or where it cannot be told. May block on a name server; callable from any thread.
  virtual ControlPath FindControlPath() = 0;
};

}  // namespace tutti::session
