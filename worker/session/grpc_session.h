// Sessions over gRPC: WorkerService.Session, one reactor per session.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/net/channels.h"
#include "common/sync/executor.h"
#include "common/sync/thread_annotations.h"
#include "common/time/clock.h"
#include "worker/session/session_stream.h"

namespace tutti::session {

// Each Dial makes a channel of its own, so that no back-off of an earlier one delays it. `executor` and
// `clock` outlive the dialer.
class GrpcSessionDialer final : public SessionDialer {
 public:
  GrpcSessionDialer(net::Endpoint coordinator, net::ChannelOptions options, Executor& executor,
                    const Clock& clock);
  ~GrpcSessionDialer() override;

  absl::StatusOr<std::unique_ptr<SessionStream>> Dial(SessionHandlers handlers) override;

  // With the source address that the kernel chooses towards the coordinator's first address (a UDP socket is
  // connected, which sends nothing).
  ControlPath FindControlPath() override;

 private:
  friend class SessionReactor;
  void ReactorEnded() TUTTI_EXCLUDES(mutex_);

  const net::Endpoint coordinator_;
  const net::ChannelOptions options_;
  Executor& executor_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar ended_;
  int reactors_ TUTTI_GUARDED_BY(mutex_) = 0;
};

}  // namespace tutti::session
