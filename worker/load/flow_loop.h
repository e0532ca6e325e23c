// Serves many flows in turn on one thread, by epoll: `threads: per_cpu`. What the scheduler of threads does
// by slices of milliseconds it does by turns of microseconds, so that flows start together and share evenly.
//
// Threads: Open and Watch before Run; Run on the loop's own thread; Drain from any thread while it runs.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/flow.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"
#include "worker/load/turn_schedule.h"

namespace tutti::load {

class FlowLoop {
 public:
  // The flows outlive the loop. `stop_ns`: the end of COOLDOWN, when every flow gets a turn whatever it waits
  // for.
  FlowLoop(std::vector<Flow*> flows, int64_t stop_ns);

  // Opens what it waits with. Unimplemented where the kernel has no epoll_pwait2, which waits to the
  // microsecond (Linux 5.11).
  absl::Status Open(const TrialControl& control);
  // Once all flows are connected.
  absl::Status Watch();

  // From T0 on, until every flow is over (`over` is called with its index) or the trial stops. `spin`: the
  // last stretch before T0 is worth a busy CPU.
  void Run(const TrialClock& clock, const TrialControl& control, bool spin,
           absl::FunctionRef<void(size_t)> over);

  // DRAIN was ordered: flows look after it from here on, at least every 10 ms.
  void Drain();

 private:
  static constexpr size_t kEventsPerPoll = 256;

  void TakeTurn(uint32_t flow, const TrialClock& clock, int64_t now_ns, absl::FunctionRef<void(size_t)> over);
  // Puts flows whose sockets are ready into the queue; waits for one until `until_ns` of trial time.
  void Poll(int64_t now_ns, int64_t until_ns);
  void HearWakeUp(int64_t now_ns);

  const std::vector<Flow*> flows_;
  TurnSchedule schedule_;
  FileDescriptor epoll_;
  FileDescriptor wake_;  // readable: DRAIN was ordered
  std::array<epoll_event, kEventsPerPoll> events_{};
  int64_t wake_all_ns_;
  bool draining_ = false;
};

}  // namespace tutti::load
