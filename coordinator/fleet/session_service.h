// The gRPC side of the sessions: turns streams into links and messages, and posts them to the fleet.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>

#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "tutti/v1/session.grpc.pb.h"

namespace tutti::fleet {

// Thread-safe. The executor and the fleet must live until the server that has this service is shut down and
// what it posted has run.
class SessionService final : public tutti::v1::WorkerService::CallbackService {
 public:
  // A session that has not said hello by then ends with DEADLINE_EXCEEDED: it would hold a stream for nobody.
  // One that begins with anything else ends with INVALID_ARGUMENT.
  static constexpr int64_t kHelloDeadlineNs = 10'000'000'000;

  SessionService(Executor& executor, Fleet& fleet, int64_t hello_deadline_ns = kHelloDeadlineNs)
      : executor_(executor), fleet_(fleet), hello_deadline_ns_(hello_deadline_ns) {}

  grpc::ServerBidiReactor<tutti::v1::WorkerMessage, tutti::v1::CoordinatorMessage>* Session(
      grpc::CallbackServerContext* context) override;

 private:
  Executor& executor_;
  Fleet& fleet_;
  const int64_t hello_deadline_ns_;
};

}  // namespace tutti::fleet
