// Executes one run: its cases in order, the background second before each, its trials, its result.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/sync/executor.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/plan/placement.h"
#include "coordinator/results/abort_watch.h"
#include "coordinator/run/background_meter.h"
#include "coordinator/run/event_log.h"
#include "coordinator/run/run_journal.h"
#include "coordinator/run/run_timing.h"
#include "coordinator/run/trial_driver.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

// All that is decided before a run starts.
struct RunSpec {
  tutti::v1::Result head;  // id, user, plan, hosts, machines, pairs, marks, submission; no cases
  plan::Placement placement;
  std::vector<std::vector<tutti::v1::Flow>> flows;  // by case
  std::vector<uint64_t> incarnations;               // of placement.hosts, as they were when it was placed
};

// Lives on the executor's thread and holds the fleet's workers of the run from Start to its end.
class RunExecution final : public fleet::WorkerListener {
 public:
  // `random` gives ids of trials and nonces. Of a run that has begun in `journal` (null: nobody keeps it)
  // each trial is kept before the next one begins, so that writing it takes no CPU from a measurement, and
  // the result before the last event tells it. `on_ended` is called once, after the last event; the object
  // may be destroyed within it.
  RunExecution(Executor& executor, fleet::Fleet& fleet, RunSpec spec, EventLog& log, RunJournal* journal,
               std::function<uint64_t()> random, std::function<void()> on_ended);
  ~RunExecution() override;

  void Start();
  // Idempotent; before Start the run ends without having run. `cause`: a reason of the run and of the trial
  // that it ends; empty: somebody asked for it.
  void Cancel(const std::string& cause = "");
  // Before Start: the run ends as failed, without having run, for this reason. Without effect on any other.
  void GiveUp(const std::string& reason);

  bool started() const { return started_; }
  // Of a run that has started and not ended.
  tutti::v1::RunProgress Progress() const;
  // By the plan's timing; before Start that of the whole plan.
  int64_t ExpectedLeftNs() const;
  // The head and the cases that have ended.
  const tutti::v1::Result& result() const { return result_; }
  const std::vector<std::string>& hosts() const { return spec_.placement.hosts; }

  void OnWorkerMessage(const std::string& worker, tutti::v1::WorkerMessage message) override;
  void OnWorkerLost(const std::string& worker, const std::string& reason) override;
  void OnWorkerRegistered(const std::string& worker) override;

 private:
  RunPosition Position() const;
  const tutti::v1::Case& CurrentCase() const { return result_.plan().cases(static_cast<int>(case_index_)); }
  std::vector<std::string> CaseHosts() const;
  void NextCase();
  void MeasureBackground();
  void NextTrial();
  // How long to wait for lost hosts before a trial; not above 0: not at all.
  int64_t GraceNs() const;
  void StartTrial();
  void OnTrialFinished(TrialOutcome outcome);
  void AfterTrialKept();
  void EndCase();
  void End();
  void AfterEndKept();
  // For the journal: goes on with `next`, unless the object is gone by then.
  RunJournal::Kept ThenGoOn(void (RunExecution::*next)());
  TrialSetup MakeSetup();
  void TellPhase(Phase phase);
  // Runs `step` on its own turn, unless the object is gone by then; replaces the step that was planned
  // before.
  void Then(int64_t delay_ns, void (RunExecution::*step)());

  Executor& executor_;
  fleet::Fleet& fleet_;
  const RunSpec spec_;
  EventLog& log_;
  RunJournal* const journal_;
  const std::function<uint64_t()> random_;
  const std::function<void()> on_ended_;

  tutti::v1::Result result_;
  bool started_ = false;
  bool cancelled_ = false;
  std::string cancel_cause_;  // empty: somebody asked for it, or it is not cancelled
  std::string gave_up_;       // why it did not start; empty: it may
  bool ended_ = false;
  bool waiting_for_hosts_ = false;
  int64_t grace_ends_ns_ = 0;  // of the wait for hosts before the next trial; 0: it has not begun
  bool waiting_for_journal_ = false;
  std::string not_kept_;  // why the journal does not have all of the run; empty: it has
  std::shared_ptr<tutti::v1::RunEvent> last_event_;  // shared with the journal until that is done with it
  size_t case_index_ = 0;
  std::optional<size_t> aborted_case_;  // a threshold has ended a trial of it, and with it the run
  std::map<std::string, tutti::v1::HostFacts> facts_;  // by host, as they were when the run was placed
  std::vector<std::string> left_out_;                  // why the present case is not run; empty: it is
  std::map<std::string, double> background_cores_;
  std::vector<tutti::v1::TrialResult> trials_;  // of the present case
  int64_t trial_started_unix_ns_ = 0;
  uint64_t trial_id_ = 0;
  Phase phase_ = Phase::kNew;  // of the trial that goes on
  int64_t step_since_ns_ = 0;  // when that phase began, or the background second
  int64_t arm_lead_ns_ = TrialSetup().arm_lead_ns;
  std::unique_ptr<BackgroundMeter> meter_;
  std::unique_ptr<results::AbortWatch> abort_watch_;  // of the trial
  std::unique_ptr<TrialDriver> trial_;
  TimerId step_ = 0;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace tutti::run
