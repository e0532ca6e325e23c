// The half of a trial that blocks: drives worker/load through its phases and reads the kernel's figures
// beside it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/sync/thread_annotations.h"
#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "common/time/followed_clock.h"
#include "tutti/v1/session.pb.h"
#include "worker/load/load_trial.h"
#include "worker/session/device_shortfall.h"
#include "worker/session/trial_kernel.h"

namespace tutti::session {

// How a phase ended; with an error, the streams that failed (where the load knows them).
struct PhaseOutcome {
  absl::Status status;
  std::vector<v1::StreamReport> failed_streams;
};

// One trial. Everything but Abort and FollowClock is called on the trial's thread, in the order of the
// phases; Abort on any thread.
class TrialJob {
 public:
  // `facts`: this host, for the devices of addresses. `kernel` and `clock` outlive the job.
  TrialJob(v1::Prepare prepare, std::shared_ptr<const v1::HostFacts> facts, TrialKernel& kernel,
           const Clock& clock);

  // Places the streams on CPUs and prepares the load; on success `ports` has the receivers' ports.
  PhaseOutcome Prepare(std::vector<v1::BoundPort>* ports);
  // Looks up the senders' routes, then connects.
  PhaseOutcome Connect(const v1::Connect& connect, HostTime deadline);
  // Checks T0 against the mapping, reads the devices' counters, arms the load. `on_edge` is called on the
  // sampler's thread with the CPU and UDP counters that were read right after the edge.
  PhaseOutcome Arm(const v1::Arm& arm, std::function<void(v1::EdgeSample)> on_edge);
  // A newer fit of this host's clock while the trial runs; one that means nothing is ignored. On any thread,
  // one at a time.
  void FollowClock(const v1::ClockUpdate& update) TUTTI_EXCLUDES(mutex_);
  std::vector<v1::SenderFinal> WaitSenders();
  void Drain(const v1::Drain& drain, HostTime deadline);
  // Everything but the edges. Waits up to 2 s for the counters of devices with hardware that lag behind the
  // payload.
  v1::TrialReport Report();
  // Joins the load's threads and closes its sockets.
  void Release() TUTTI_EXCLUDES(mutex_);

  // The streams stop, what blocks returns; a Report is possible all the same.
  void Abort() TUTTI_EXCLUDES(mutex_);

 private:
  struct Egress {
    std::string device;
    std::string warning;
  };

  load::LoadTrial* load() TUTTI_EXCLUDES(mutex_);
  absl::Status KeepLoad(std::unique_ptr<load::LoadTrial> load) TUTTI_EXCLUDES(mutex_);
  absl::Status CheckT0(const v1::Arm& arm, const ClockMapping& mapping) const;
  v1::EdgeSample ReadBesideEdge(const load::Edge& edge);
  void AddPathCounters(v1::EdgeSample& sample);
  void LookUpRoutes();
  Egress LookUpEgress(const v1::StreamEnd& stream);
  PhaseOutcome Failed(absl::Status status);
  void ReportClock(v1::TrialReport& report) TUTTI_EXCLUDES(mutex_);
  v1::StreamReport Complete(const load::StreamReport& report);
  std::map<std::string, DevicePayload> HardwarePayload(const load::LoadReport& report) const;
  std::vector<v1::DeviceCounters> ReadDevicesAtEnd(const load::LoadReport& report);
  // False: aborted.
  bool SleepUnlessAborted(int64_t ns) TUTTI_EXCLUDES(mutex_);

  const v1::Prepare prepare_;
  const std::shared_ptr<const v1::HostFacts> facts_;
  TrialKernel& kernel_;
  const Clock& clock_;
  const uint32_t last_edge_;
  // Owned by the trial's thread.
  std::map<uint32_t, Egress> egress_;                  // by stream
  std::map<uint32_t, v1::OptionOutcome> missed_cpus_;  // by stream
  std::set<std::string> stream_devices_;               // constant once the trial is armed
  std::vector<v1::DeviceCounters> devices_begin_;
  Mutex mutex_;
  CondVar aborted_wake_;
  // The same fits as the load's, which each reach a moment later.
  std::optional<FollowedClock> clock_followed_ TUTTI_GUARDED_BY(mutex_);
  TimelineTime window_end_;  // set by Arm; the trial's thread
  // Set and released on the trial's thread only; Abort reads it on others.
  std::unique_ptr<load::LoadTrial> load_ TUTTI_GUARDED_BY(mutex_);
  bool aborted_ TUTTI_GUARDED_BY(mutex_) = false;
};

}  // namespace tutti::session
