// Keeps the estimate of one worker's clock: sends the probes, takes the replies.
//
// Probes go two ways, each at its own pace: over UDP, where the kernels stamp it, and over the session, which
// works where UDP is filtered and keeps the lease. Both bound the same offset, so one estimator takes both.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "common/sync/executor.h"
#include "common/time/clock.h"
#include "common/time/clock_estimator.h"
#include "common/time/clock_mapping.h"
#include "coordinator/fleet/clock_server.h"
#include "coordinator/fleet/worker_link.h"
#include "tutti/v1/host.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

struct ProbeOptions {
  // Over the session, between bursts. Its probes also keep the worker's lease, and that is all they are for
  // while datagrams measure the clock: then one goes with each of those.
  int64_t interval_ns = 200'000'000;
  // Between datagrams outside of bursts; the estimator keeps the best of each half second.
  int64_t datagram_interval_ns = 500'000'000;
  // Outside of bursts the probes of all workers leave on one grid, so that a thousand of them do not wake
  // their thread one by one; a step holds few enough not to queue up behind each other.
  int64_t grid_ns = 2'000'000;
  int64_t burst_spacing_ns = 3'000'000;
  int burst_probes = 16;
  int64_t refresh_timeout_ns = 500'000'000;  // a refresh is over then, whatever was answered
};

// Probes from Start until it is destroyed. Lives on the executor's thread.
class WorkerClock {
 public:
  // `server` outlives the clock; null: over the session alone.
  WorkerClock(Executor& executor, std::shared_ptr<WorkerLink> link, const ProbeOptions& options,
              ClockServer* server);
  ~WorkerClock();
  WorkerClock(const WorkerClock&) = delete;
  WorkerClock& operator=(const WorkerClock&) = delete;

  // What the worker must be told to be measured over UDP; nullopt: nothing.
  std::optional<tutti::v1::ClockService> service() const;
  // Begins with a burst.
  void Start();

  // Over the session.
  void OnReply(const tutti::v1::ClockReply& reply, TimelineTime received);

  // Sends a burst; `done` is called when it was answered or after the timeout, never from within this call.
  // It is dropped with the object.
  void Refresh(std::function<void()> done);

  // nullopt before the first reply.
  std::optional<ClockMapping> MappingNow() const;
  // The least in use, without the worker's own delay, of the kind that Source says.
  std::optional<int64_t> RoundTripNs() const;
  // The best of the last 5 s (10 datagram intervals); unspecified before the first measurement.
  tutti::v1::ClockSource Source() const;
  // How often the clock contradicted its own history: a step, a suspend.
  uint64_t restarts() const { return estimator_.restarts(); }
  // The longest round trip of as many replies as a burst has, the worker's own delay included: how late an
  // order may arrive. Right after a refresh it is the refresh's. 0 before the first reply.
  int64_t WorstRoundTripNs() const;
  // Of the last reply, likewise with the worker's own delay; nullopt before the first one.
  std::optional<int64_t> LastRoundTripNs() const;

 private:
  struct Waiter {
    uint64_t sequence;  // done with the reply to this probe or a later one
    TimerId timeout;
    std::function<void()> done;
  };
  struct SessionReply {
    int64_t round_trip_ns = 0;
    int64_t path_ns = 0;  // of that, not spent in the worker
  };
  void Tick();
  int64_t UntilNextTickNs() const;
  bool IsRecent(const std::optional<int64_t>& datagram_ns) const;
  void StartBurst();
  void ProbeByDatagram();
  void OnMeasurement(const ClockMeasurement& measurement);
  void OnTimeout(uint64_t sequence);

  Executor& executor_;
  const std::shared_ptr<WorkerLink> link_;
  const ProbeOptions options_;
  ClockServer* const server_;
  net::ClockToken token_{};  // if there is a server
  FeasibleLineEstimator estimator_;
  int64_t datagram_due_ns_ = 0;
  std::optional<int64_t> last_datagram_ns_;  // the last measurement over UDP
  std::optional<int64_t> last_kernel_ns_;    // likewise with the kernel's stamps throughout
  uint64_t next_sequence_ = 1;
  int burst_left_ = 0;
  TimerId tick_ = 0;
  std::vector<Waiter> waiters_;
  std::deque<SessionReply> replies_;  // the last ones, as many as a burst has
};

}  // namespace tutti::fleet
