// Keeps the estimate of one worker's clock: sends the probes, takes the replies.
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
#include "coordinator/fleet/worker_link.h"
#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

struct ProbeOptions {
  int64_t interval_ns = 200'000'000;  // between bursts; the probes also keep the worker's lease
  int64_t burst_spacing_ns = 3'000'000;
  int burst_probes = 16;
  int64_t refresh_timeout_ns = 500'000'000;  // a refresh is over then, whatever was answered
};

// Starts with a burst and probes until it is destroyed. Lives on the executor's thread.
class WorkerClock {
 public:
  WorkerClock(Executor& executor, std::shared_ptr<WorkerLink> link, const ProbeOptions& options);
  ~WorkerClock();
  WorkerClock(const WorkerClock&) = delete;
  WorkerClock& operator=(const WorkerClock&) = delete;

  void OnReply(const tutti::v1::ClockReply& reply, TimelineTime received);

  // Sends a burst; `done` is called when it was answered or after the timeout, never from within this call.
  // It is dropped with the object.
  void Refresh(std::function<void()> done);

  // nullopt before the first reply.
  std::optional<ClockMapping> MappingNow() const;
  std::optional<int64_t> RoundTripNs() const { return estimator_.best_round_trip_ns(); }
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
  void OnTimeout(uint64_t sequence);

  Executor& executor_;
  const std::shared_ptr<WorkerLink> link_;
  const ProbeOptions options_;
  FeasibleLineEstimator estimator_;
  uint64_t next_sequence_ = 1;
  int burst_left_ = 0;
  TimerId tick_ = 0;
  std::vector<Waiter> waiters_;
  std::deque<int64_t> round_trips_ns_;  // of the last replies, as many as a burst has
};

}  // namespace tutti::fleet
