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
  int64_t interval_ns = 200'000'000;  // between bursts; the probes also keep the worker's lease
  // Between pairs of datagrams outside of bursts; the estimator keeps the best of each half second.
  int64_t datagram_interval_ns = 500'000'000;
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
  std::optional<int64_t> RoundTripNs() const { return estimator_.best_round_trip_ns(); }
  // Of the latest measurements; unspecified before the first.
  tutti::v1::ClockSource Source() const;
  // How often the clock contradicted its own history: a step, a suspend.
  uint64_t restarts() const { return estimator_.restarts(); }
  // The longest round trip of as many replies as a burst has, the worker's own delay included: how late an
  // order may arrive. Right after a refresh it is the refresh's. 0 before the first reply.
  int64_t WorstRoundTripNs() const;

 private:
  struct Waiter {
    uint64_t sequence;  // done with the reply to this probe or a later one
    TimerId timeout;
    std::function<void()> done;
  };
  void Tick();
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
  ProbeStamps last_stamps_ = ProbeStamps::kProgram;
  uint64_t next_sequence_ = 1;
  int burst_left_ = 0;
  TimerId tick_ = 0;
  std::vector<Waiter> waiters_;
  std::deque<int64_t> round_trips_ns_;  // of the last replies, as many as a burst has
};

}  // namespace tutti::fleet
