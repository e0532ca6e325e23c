#include "coordinator/run/run_execution.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/log/log.h"
#include "common/time/clock.h"
#include "coordinator/results/merge.h"
#include "coordinator/run/buffer_limits.h"
#include "coordinator/run/live_merger.h"
#include "coordinator/run/stream_ends.h"

namespace tutti::run {
namespace {

using tutti::v1::RunEvent;

constexpr int kExitFailed = 11;

}  // namespace

RunExecution::RunExecution(Executor& executor, fleet::Fleet& fleet, RunSpec spec, EventLog& log,
                           RunJournal* journal, std::function<uint64_t()> random,
                           std::function<void()> on_ended)
    : executor_(executor),
      fleet_(fleet),
      spec_(std::move(spec)),
      log_(log),
      journal_(journal),
      random_(std::move(random)),
      on_ended_(std::move(on_ended)),
      result_(spec_.head) {
  result_.set_status(tutti::v1::RUN_STATUS_RUNNING);
  for (const tutti::v1::Host& host : result_.hosts()) facts_[host.name()] = host.facts();
}

RunExecution::~RunExecution() {
  executor_.Cancel(step_);
  if (started_ && !ended_) fleet_.Release(hosts());
}

void RunExecution::Then(int64_t delay_ns, void (RunExecution::*step)()) {
  executor_.Cancel(step_);
  step_ = executor_.PostAfter(delay_ns, [this, step] { (this->*step)(); });
}

void RunExecution::Start() {
  if (started_ || cancelled_ || !gave_up_.empty()) return;
  started_ = true;
  const int cases = result_.plan().cases_size();
  spdlog::info("{} starts: {} {} on {} {}", result_.run_id(), cases, cases == 1 ? "case" : "cases",
               hosts().size(), hosts().size() == 1 ? "host" : "hosts");
  fleet_.Assign(hosts(), result_.run_id(), this);
  result_.set_started_unix_ns(UnixNowNs());
  RunEvent event;
  *event.mutable_started()->mutable_head() = result_;
  log_.Append(std::move(event));
  NextCase();
}

void RunExecution::Cancel(const std::string& cause) {
  if (cancelled_ || ended_) return;
  cancelled_ = true;
  cancel_cause_ = cause;
  if (trial_ != nullptr) {
    trial_->Cancel();  // the run ends with it
    return;
  }
  if (waiting_for_journal_) return;  // looked at once the trial is kept
  meter_ = nullptr;
  waiting_for_hosts_ = false;
  Then(0, started_ ? &RunExecution::EndCase : &RunExecution::End);
}

void RunExecution::GiveUp(const std::string& reason) {
  if (started_ || cancelled_ || ended_ || !gave_up_.empty()) return;
  gave_up_ = reason;
  Then(0, &RunExecution::End);
}

RunPosition RunExecution::Position() const {
  RunPosition position;
  position.case_index = case_index_;
  position.trials_over = static_cast<uint32_t>(trials_.size());
  position.in_background = meter_ != nullptr;
  if (trial_ != nullptr) position.phase = phase_;
  position.in_step_ns = executor_.NowNs() - step_since_ns_;
  return position;
}

int64_t RunExecution::ExpectedLeftNs() const {
  if (!started_) return result_.expected_duration_ns();
  return cancelled_ ? 0 : run::ExpectedLeftNs(result_.plan(), Position());
}

tutti::v1::RunProgress RunExecution::Progress() const {
  const auto cases = static_cast<uint32_t>(result_.plan().cases_size());
  // Behind the last case the result is being kept.
  const uint32_t index = std::min(static_cast<uint32_t>(case_index_), std::max(cases, 1U) - 1);
  tutti::v1::RunProgress progress;
  progress.set_case_index(index);
  progress.set_cases(cases);
  progress.set_repetition(static_cast<uint32_t>(trials_.size()) + (trial_ != nullptr ? 1 : 0));
  if (index < cases) progress.set_repetitions(result_.plan().cases(static_cast<int>(index)).repeat());
  if (trial_ != nullptr && phase_ != Phase::kNew && phase_ != Phase::kFinished) {
    progress.set_phase(PhaseName(phase_));
  }
  progress.set_expected_left_ns(ExpectedLeftNs());
  return progress;
}

std::vector<std::string> RunExecution::CaseHosts() const {
  std::vector<std::string> names;
  for (const tutti::v1::Flow& flow : spec_.flows[case_index_]) {
    names.push_back(flow.from_host());
    names.push_back(flow.to_host());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void RunExecution::NextCase() {
  if (static_cast<int>(case_index_) >= result_.plan().cases_size()) return End();
  RunEvent event;
  event.mutable_case_started()->set_case_index(static_cast<uint32_t>(case_index_));
  event.mutable_case_started()->set_cases(static_cast<uint32_t>(result_.plan().cases_size()));
  log_.Append(std::move(event));
  trials_.clear();
  left_out_ = ForbiddenBuffers(CurrentCase(), spec_.flows[case_index_], facts_);
  if (!left_out_.empty()) return Then(0, &RunExecution::EndCase);
  MeasureBackground();
}

void RunExecution::MeasureBackground() {
  std::map<std::string, std::string> readers;
  const std::vector<std::string> names = CaseHosts();
  for (const tutti::v1::Host& host : result_.hosts()) {
    if (!std::binary_search(names.begin(), names.end(), host.name())) continue;
    const std::optional<fleet::Member> member = fleet_.Find(host.name());
    if (member.has_value() && !member->lost) readers.try_emplace(host.machine(), host.name());
  }
  meter_ = std::make_unique<BackgroundMeter>(executor_, fleet_, std::move(readers), random_(),
                                             [this](std::map<std::string, double> busy_cores) {
                                               background_cores_ = std::move(busy_cores);
                                               meter_ = nullptr;
                                               NextTrial();
                                             });
  step_since_ns_ = executor_.NowNs();
  meter_->Start();
}

int64_t RunExecution::GraceNs() const {
  int64_t grace_ns = 0;
  for (const std::string& name : CaseHosts()) {
    const std::optional<fleet::Member> member = fleet_.Find(name);
    if (!member.has_value()) continue;
    // A trial does not begin with a host whose connection broke a moment ago: it is back or lost soon.
    if (member->away_until_ns) grace_ns = std::max(grace_ns, *member->away_until_ns - executor_.NowNs());
    if (!member->lost) continue;
    grace_ns = std::max(grace_ns, member->state_since_ns + kReturnGraceNs - executor_.NowNs());
  }
  return grace_ns;
}

void RunExecution::NextTrial() {
  waiting_for_hosts_ = false;
  if (trials_.size() >= CurrentCase().repeat()) return EndCase();
  const int64_t now_ns = executor_.NowNs();
  if (grace_ends_ns_ == 0) grace_ends_ns_ = now_ns + kMostGraceNs;
  if (const int64_t grace_ns = std::min(GraceNs(), grace_ends_ns_ - now_ns); grace_ns > 0) {
    waiting_for_hosts_ = true;
    return Then(grace_ns, &RunExecution::NextTrial);
  }
  grace_ends_ns_ = 0;
  StartTrial();
}

TrialSetup RunExecution::MakeSetup() {
  const std::vector<tutti::v1::Flow>& flows = spec_.flows[case_index_];
  TrialSetup setup;
  // 0 is no trial.
  trial_id_ = std::max<uint64_t>(1, random_());
  setup.trial_id = trial_id_;
  setup.timing = CurrentCase().timing();
  setup.flows = flows;
  setup.ends = MakeStreamEnds(CurrentCase(), flows, random_);
  setup.arm_lead_ns = arm_lead_ns_;
  setup.deadlines = DeadlinesOf(flows.size());
  return setup;
}

void RunExecution::StartTrial() {
  const auto repetition = static_cast<uint32_t>(trials_.size() + 1);
  TrialSetup setup = MakeSetup();
  LiveMerger merger(CurrentCase(), repetition, setup.flows, setup.ends);
  trial_started_unix_ns_ = UnixNowNs();
  RunEvent event;
  event.mutable_trial_started()->set_case_index(static_cast<uint32_t>(case_index_));
  event.mutable_trial_started()->set_repetition(repetition);
  event.mutable_trial_started()->set_repetitions(CurrentCase().repeat());
  event.mutable_trial_started()->set_streams(static_cast<uint32_t>(setup.flows.size()));
  log_.Append(std::move(event));
  TrialDriver::Callbacks callbacks;
  callbacks.on_phase = [this](Phase phase) { TellPhase(phase); };
  abort_watch_ = std::make_unique<results::AbortWatch>(CurrentCase());
  callbacks.on_interval = [this](tutti::v1::LiveInterval interval) {
    const std::optional<std::string> missed = abort_watch_->Add(interval);
    RunEvent live;
    *live.mutable_interval() = std::move(interval);
    log_.Append(std::move(live));
    if (missed.has_value()) trial_->Stop(*missed);
  };
  callbacks.on_finished = [this](TrialOutcome outcome) { OnTrialFinished(std::move(outcome)); };
  trial_ = std::make_unique<TrialDriver>(executor_, fleet_, std::move(setup), std::move(merger),
                                         std::move(callbacks));
  phase_ = Phase::kNew;
  step_since_ns_ = executor_.NowNs();
  trial_->Start();
}

void RunExecution::TellPhase(Phase phase) {
  phase_ = phase;
  step_since_ns_ = executor_.NowNs();
  if (phase == Phase::kNew || phase == Phase::kClocks || phase == Phase::kFinished) return;
  RunEvent event;
  event.mutable_phase()->set_case_index(static_cast<uint32_t>(case_index_));
  event.mutable_phase()->set_repetition(static_cast<uint32_t>(trials_.size() + 1));
  event.mutable_phase()->set_phase(PhaseName(phase));
  log_.Append(std::move(event));
}

void RunExecution::OnTrialFinished(TrialOutcome outcome) {
  trial_ = nullptr;
  if (outcome.armed_late) arm_lead_ns_ = std::min(2 * arm_lead_ns_, kMaxArmLeadNs);
  results::TrialInput input;
  input.plan_case = CurrentCase();
  input.repetition = static_cast<uint32_t>(trials_.size() + 1);
  input.trial_id = trial_id_;
  input.started_unix_ns = trial_started_unix_ns_;
  input.t0 = outcome.t0.value_or(TimelineTime{});
  input.cancelled = outcome.cancelled;
  input.cancel_cause = cancel_cause_;
  input.failure = std::move(outcome.failure);
  if (!outcome.aborted.empty()) aborted_case_ = case_index_;
  input.aborted = std::move(outcome.aborted);
  input.flows = spec_.flows[case_index_];
  input.hosts = std::move(outcome.hosts);
  input.machines.assign(result_.machines().begin(), result_.machines().end());
  input.all_hosts.assign(result_.hosts().begin(), result_.hosts().end());
  for (results::HostInput& host : input.hosts) {
    for (const tutti::v1::Host& known : input.all_hosts) {
      if (known.name() == host.host) host.machine = known.machine();
    }
  }
  input.roles = spec_.placement.cases[case_index_];
  input.background_cores = background_cores_;
  trials_.push_back(results::MergeTrial(input));
  if (journal_ == nullptr) return AfterTrialKept();
  waiting_for_journal_ = true;
  journal_->PutTrial(result_.run_id(), static_cast<uint32_t>(case_index_),
                     static_cast<uint32_t>(trials_.size() - 1), trials_.back(),
                     ThenGoOn(&RunExecution::AfterTrialKept));
}

RunJournal::Kept RunExecution::ThenGoOn(void (RunExecution::*next)()) {
  return [this, alive = std::weak_ptr<const bool>(alive_), next](const absl::Status& kept) {
    if (alive.expired()) return;
    waiting_for_journal_ = false;
    if (!kept.ok()) {
      spdlog::error("{} is not kept: {}", result_.run_id(), std::string(kept.message()));
      if (not_kept_.empty()) not_kept_ = std::string(kept.message());
    }
    (this->*next)();
  };
}

void RunExecution::AfterTrialKept() {
  const tutti::v1::TrialResult& trial = trials_.back();
  RunEvent event;
  event.mutable_trial_ended()->set_case_index(static_cast<uint32_t>(case_index_));
  event.mutable_trial_ended()->set_repetition(trial.repetition());
  event.mutable_trial_ended()->set_status(trial.status());
  *event.mutable_trial_ended()->mutable_reasons() = trial.reasons();
  log_.Append(std::move(event));
  if (cancelled_ || aborted_case_.has_value()) return EndCase();
  NextTrial();
}

void RunExecution::EndCase() {
  tutti::v1::CaseResult& ended = *result_.add_cases();
  ended = results::SummarizeCase(CurrentCase(), std::move(trials_), cancelled_);
  if (!left_out_.empty()) ended.mutable_reasons()->Assign(left_out_.begin(), left_out_.end());
  left_out_.clear();
  trials_.clear();
  RunEvent event;
  *event.mutable_case_ended() = ended;
  // The rows are for those who watch; the trials come with the result.
  event.mutable_case_ended()->clear_trials();
  log_.Append(std::move(event));
  ++case_index_;
  if (cancelled_ || aborted_case_.has_value()) return End();
  NextCase();
}

void RunExecution::End() {
  for (; static_cast<int>(case_index_) < result_.plan().cases_size(); ++case_index_) {
    tutti::v1::CaseResult& left = *result_.add_cases();
    left = results::SummarizeCase(CurrentCase(), {}, cancelled_);
    if (aborted_case_.has_value()) {
      left.add_reasons("the run was aborted in case " + std::to_string(*aborted_case_ + 1));
    }
  }
  if (!gave_up_.empty()) result_.add_reasons(gave_up_);
  if (!cancel_cause_.empty()) result_.add_reasons(cancel_cause_);
  results::JudgeRun(result_, cancelled_);
  if (!gave_up_.empty() && !cancelled_) {
    result_.set_status(tutti::v1::RUN_STATUS_FAILED);
    result_.set_exit_code(kExitFailed);
  }
  result_.set_finished_unix_ns(UnixNowNs());
  ended_ = true;
  if (started_) fleet_.Release(hosts());
  spdlog::info("{} ended with exit code {}", result_.run_id(), result_.exit_code());
  last_event_ = std::make_shared<RunEvent>();
  *last_event_->mutable_ended() = result_;
  if (journal_ == nullptr) return AfterEndKept();
  journal_->Finish(std::shared_ptr<const tutti::v1::Result>(last_event_, &last_event_->ended()),
                   ThenGoOn(&RunExecution::AfterEndKept));
}

void RunExecution::AfterEndKept() {
  if (!not_kept_.empty())
    last_event_->mutable_ended()->add_reasons("the coordinator could not keep it: " + not_kept_);
  log_.Append(std::move(*last_event_));
  on_ended_();
}

void RunExecution::OnWorkerMessage(const std::string& worker, tutti::v1::WorkerMessage message) {
  if (message.has_background()) {
    if (meter_ != nullptr) meter_->OnReading(worker, message.background());
    return;
  }
  if (trial_ != nullptr) trial_->OnMessage(worker, message);
}

void RunExecution::OnWorkerLost(const std::string& worker, const std::string& reason) {
  if (meter_ != nullptr) meter_->OnLost(worker);
  if (trial_ != nullptr) trial_->OnLost(worker, reason);
}

void RunExecution::OnWorkerRegistered(const std::string& worker) {
  if (waiting_for_hosts_) Then(0, &RunExecution::NextTrial);
}

}  // namespace tutti::run
