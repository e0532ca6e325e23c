// Drives one trial: puts a TrialMachine between the fleet, the executor's timers and the live intervals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/live_merger.h"
#include "coordinator/run/trial_clocks.h"
#include "coordinator/run/trial_machine.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

// Lives on the executor's thread; destroying it ends it without calling anybody or telling the workers.
class TrialDriver {
 public:
  struct Callbacks {
    std::function<void(Phase)> on_phase;
    std::function<void(tutti::v1::LiveInterval)> on_interval;
    std::function<void(TrialOutcome)> on_finished;  // once; never from within a call
  };

  TrialDriver(Executor& executor, fleet::Fleet& fleet, TrialSetup setup, LiveMerger merger,
              Callbacks callbacks);
  ~TrialDriver();
  TrialDriver(const TrialDriver&) = delete;
  TrialDriver& operator=(const TrialDriver&) = delete;

  void Start();
  void OnMessage(const std::string& host, const tutti::v1::WorkerMessage& message);
  void OnLost(const std::string& host, const std::string& reason);
  void Cancel();
  // Ends the measure window early, as TrialMachine::OnStop does; may be called within on_interval.
  void Stop(const std::string& reason);

 private:
  TimelineTime Now() const { return TimelineTime{executor_.NowNs()}; }
  void OnClocksFresh();
  void ArmIfReady();
  // While the streams run: sends every host the latest fit of its clock, and again a while later.
  void RefitClocks();
  // After the streams: measures the clocks once more, to see whether one has moved under the trial. The trial
  // is not finished before.
  void CheckClocks();
  void NoteSource(const std::string& host);
  void DescribeClock(TimelineTime t0, results::HostInput& host) const;
  // After every event: sends, sets the timer, tells of the phase.
  void Pump();
  void Finish();

  Executor& executor_;
  fleet::Fleet& fleet_;
  std::vector<std::string> hosts_;
  const int64_t window_end_ns_;  // trial time
  TrialMachine machine_;
  TrialClocks clocks_;
  std::map<std::string, uint64_t> restarts_at_arm_;
  std::map<std::string, tutti::v1::ClockSource> worst_source_;  // since ARM
  LiveMerger merger_;
  Callbacks callbacks_;
  Phase told_phase_ = Phase::kNew;
  bool clocks_fresh_ = false;
  bool clocks_checked_ = true;  // false: CheckClocks is under way
  TimerId timer_ = 0;
  TimerId refit_timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for callbacks that may come too late
};

}  // namespace tutti::run
