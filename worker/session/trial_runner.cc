#include "worker/session/trial_runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/time/nanoseconds.h"

namespace tutti::session {
namespace {

// The load keeps its deadlines itself; this is for a load that does not.
constexpr int64_t kGraceNs = 500 * kNsPerMs;
constexpr int64_t kArmLimitNs = 5'000 * kNsPerMs;
constexpr int64_t kStopLimitNs = 5'000 * kNsPerMs;
constexpr int64_t kReportLimitNs = 10'000 * kNsPerMs;

// A span that may be added to others, whatever the coordinator said.
int64_t Bounded(int64_t ns) { return std::clamp(ns, -kLatestNs, kLatestNs); }

}  // namespace

TrialRunner::TrialRunner(Executor& executor, Executor& trial_thread, const Clock& clock, TrialKernel& kernel,
                         std::function<void(v1::WorkerMessage)> send)
    : executor_(executor),
      trial_thread_(trial_thread),
      clock_(clock),
      kernel_(kernel),
      send_(std::move(send)),
      facts_(std::make_shared<v1::HostFacts>()),
      alive_(std::make_shared<bool>(true)) {}

TrialRunner::~TrialRunner() {
  *alive_ = false;
  if (trial_) {
    executor_.Cancel(trial_->timer);
    trial_->job->Abort();
  }
}

const char* TrialRunner::NameOf(Phase phase) {
  switch (phase) {
    case Phase::kPreparing:
    case Phase::kPrepared:
      return "PREPARE";
    case Phase::kConnecting:
    case Phase::kConnected:
      return "CONNECT";
    case Phase::kArming:
      return "ARM";
    case Phase::kRunning:
      return "RUN";
    case Phase::kStopped:
    case Phase::kDraining:
    case Phase::kDrained:
      return "DRAIN";
    case Phase::kReporting:
      return "REPORT";
    case Phase::kEnding:
      return "END";
  }
  return "?";
}

void TrialRunner::SetFacts(v1::HostFacts facts) {
  facts_ = std::make_shared<v1::HostFacts>(std::move(facts));
}

void TrialRunner::Handle(const v1::CoordinatorMessage& message, HostTime received) {
  switch (message.body_case()) {
    case v1::CoordinatorMessage::kPrepare:
      return OnPrepare(message.prepare(), received);
    case v1::CoordinatorMessage::kConnect:
      return OnConnect(message.connect(), received);
    case v1::CoordinatorMessage::kArm:
      return OnArm(message.arm());
    case v1::CoordinatorMessage::kClockUpdate:
      return OnClockUpdate(message.clock_update());
    case v1::CoordinatorMessage::kDrain:
      return OnDrain(message.drain(), received);
    case v1::CoordinatorMessage::kFinish:
      return OnFinish(message.finish().trial_id());
    case v1::CoordinatorMessage::kAbort:
      return OnAbort(message.abort());
    default:
      return;
  }
}

template <typename Result>
void TrialRunner::Work(std::function<Result(TrialJob&)> work, std::function<void(Result)> done) {
  trial_thread_.Post([this, alive = alive_, generation = generation_, phase = trial_->phase,
                      job = trial_->job, work, done, &executor = executor_] {
    auto result = std::make_shared<Result>(work(*job));
    executor.Post([this, alive, generation, phase, done, result] {
      if (!*alive || !trial_ || generation != generation_ || trial_->phase != phase) return;
      done(std::move(*result));
    });
  });
}

void TrialRunner::Enter(Phase phase) {
  executor_.Cancel(trial_->timer);
  trial_->timer = 0;
  trial_->phase = phase;
}

void TrialRunner::Enter(Phase phase, int64_t at_most_ns) {
  Enter(phase);
  trial_->timer =
      executor_.PostAfter(at_most_ns, [this, alive = alive_, generation = generation_, phase, at_most_ns] {
        if (!*alive || !trial_ || generation != generation_ || trial_->phase != phase) return;
        Fail(absl::StrCat("did not end within ", at_most_ns / kNsPerMs, " ms"), {});
      });
}

bool TrialRunner::Expect(uint64_t trial_id, const char* command, std::initializer_list<Phase> phases) {
  if (!trial_ || trial_->id != trial_id) {
    const std::string reason =
        trial_ ? absl::StrCat("this worker serves another trial, in phase ", NameOf(trial_->phase))
               : std::string("this worker serves no trial: it has ended or was never prepared here");
    SendFailed(trial_id, command, absl::StrCat(command, ": ", reason), {});
    SendIdle(trial_id);
    return false;
  }
  if (trial_->phase == Phase::kEnding) return false;  // its Idle is on the way
  if (std::find(phases.begin(), phases.end(), trial_->phase) != phases.end()) return true;
  Fail(absl::StrCat("the command ", command, " does not fit here"), {});
  return false;
}

void TrialRunner::OnPrepare(const v1::Prepare& prepare, HostTime received) {
  if (trial_) {
    Expect(prepare.trial_id(), "PREPARE", {});
    return;
  }
  ++generation_;
  trial_ = std::make_unique<Trial>();
  trial_->id = prepare.trial_id();
  const v1::Timing& timing = prepare.timing();
  trial_->length_ns =
      Bounded(timing.warmup_ns()) + Bounded(timing.measure_ns()) + Bounded(timing.cooldown_ns());
  trial_->job = std::make_shared<TrialJob>(prepare, facts_, kernel_, clock_);
  Enter(Phase::kPreparing, std::max<int64_t>(Bounded(prepare.deadline_ns()) - (clock_.Now() - received), 0));
  struct Result {
    PhaseOutcome outcome;
    std::vector<v1::BoundPort> ports;
  };
  Work<Result>(
      [](TrialJob& job) {
        Result result;
        result.outcome = job.Prepare(&result.ports);
        return result;
      },
      [this](Result result) {
        if (!result.outcome.status.ok()) {
          return Fail(std::string(result.outcome.status.message()), std::move(result.outcome.failed_streams));
        }
        Enter(Phase::kPrepared);
        v1::WorkerMessage message;
        message.mutable_prepared()->set_trial_id(trial_->id);
        for (const v1::BoundPort& port : result.ports) *message.mutable_prepared()->add_ports() = port;
        send_(std::move(message));
      });
}

void TrialRunner::OnConnect(const v1::Connect& connect, HostTime received) {
  if (!Expect(connect.trial_id(), "CONNECT", {Phase::kPrepared})) return;
  const HostTime deadline = received + Bounded(connect.deadline_ns());
  Enter(Phase::kConnecting, std::max<int64_t>(deadline - clock_.Now(), 0) + kGraceNs);
  Work<PhaseOutcome>([connect, deadline](TrialJob& job) { return job.Connect(connect, deadline); },
                     [this](PhaseOutcome outcome) {
                       if (!outcome.status.ok()) {
                         return Fail(std::string(outcome.status.message()),
                                     std::move(outcome.failed_streams));
                       }
                       Enter(Phase::kConnected);
                       v1::WorkerMessage message;
                       message.mutable_connected()->set_trial_id(trial_->id);
                       send_(std::move(message));
                     });
}

void TrialRunner::OnArm(const v1::Arm& arm) {
  if (!Expect(arm.trial_id(), "ARM", {Phase::kConnected})) return;
  Enter(Phase::kArming, kArmLimitNs);
  // Called on the sampler's thread, which ends with the job.
  const auto on_edge = [this, alive = alive_, generation = generation_,
                        &executor = executor_](v1::EdgeSample edge) {
    auto shared = std::make_shared<v1::EdgeSample>(std::move(edge));
    executor.Post([this, alive, generation, shared] {
      if (*alive) OnEdge(generation, std::move(*shared));
    });
  };
  const int64_t t0_host_ns = arm.t0_host_ns();
  Work<PhaseOutcome>([arm, on_edge](TrialJob& job) { return job.Arm(arm, on_edge); },
                     [this, t0_host_ns](PhaseOutcome outcome) {
                       if (!outcome.status.ok()) {
                         return Fail(std::string(outcome.status.message()),
                                     std::move(outcome.failed_streams));
                       }
                       OnArmed(t0_host_ns);
                     });
}

// It may cross with the trial's end, so one that comes too late is no fault.
void TrialRunner::OnClockUpdate(const v1::ClockUpdate& update) {
  if (!trial_ || trial_->id != update.trial_id() || trial_->phase == Phase::kEnding) return;
  trial_->job->FollowClock(update);
}

void TrialRunner::OnArmed(int64_t t0_host_ns) {
  Enter(Phase::kRunning, HostTime{t0_host_ns} - clock_.Now() + trial_->length_ns + kStopLimitNs);
  v1::WorkerMessage message;
  message.mutable_armed()->set_trial_id(trial_->id);
  send_(std::move(message));
  using Finals = std::vector<v1::SenderFinal>;
  Work<Finals>([](TrialJob& job) { return job.WaitSenders(); },
               [this](const Finals& finals) {
                 Enter(Phase::kStopped);
                 v1::WorkerMessage stopped;
                 stopped.mutable_senders_stopped()->set_trial_id(trial_->id);
                 for (const v1::SenderFinal& each : finals)
                   *stopped.mutable_senders_stopped()->add_finals() = each;
                 send_(std::move(stopped));
               });
}

void TrialRunner::OnEdge(uint64_t generation, v1::EdgeSample edge) {
  if (!trial_ || generation != generation_ || trial_->phase == Phase::kEnding) return;
  v1::WorkerMessage message;
  message.mutable_progress()->set_trial_id(trial_->id);
  *message.mutable_progress()->mutable_edge() = edge;
  trial_->edges.push_back(std::move(edge));
  send_(std::move(message));
}

void TrialRunner::OnDrain(const v1::Drain& drain, HostTime received) {
  if (!Expect(drain.trial_id(), "DRAIN", {Phase::kStopped})) return;
  const HostTime deadline = received + Bounded(drain.deadline_ns());
  Enter(Phase::kDraining, std::max<int64_t>(deadline - clock_.Now(), 0) + kGraceNs);
  Work<bool>(
      [drain, deadline](TrialJob& job) {
        job.Drain(drain, deadline);
        return true;
      },
      [this](bool) {
        Enter(Phase::kDrained);
        v1::WorkerMessage message;
        message.mutable_drained()->set_trial_id(trial_->id);
        send_(std::move(message));
      });
}

void TrialRunner::OnFinish(uint64_t trial_id) {
  // Workers without receivers have nothing to drain; and a trial that lost another host is finished where it
  // stands.
  if (!Expect(trial_id, "FINISH", {Phase::kRunning, Phase::kStopped, Phase::kDraining, Phase::kDrained}))
    return;
  if (trial_->phase == Phase::kRunning || trial_->phase == Phase::kDraining) {
    spdlog::warn("trial {:016x} is finished early, in phase {}", trial_->id, NameOf(trial_->phase));
    trial_->job->Abort();
  }
  Enter(Phase::kReporting, kReportLimitNs);
  Work<v1::TrialReport>([](TrialJob& job) { return job.Report(); },
                        [this](v1::TrialReport report) {
                          for (v1::EdgeSample& edge : trial_->edges) *report.add_edges() = std::move(edge);
                          v1::WorkerMessage message;
                          *message.mutable_report() = std::move(report);
                          send_(std::move(message));
                          End();
                        });
}

void TrialRunner::OnAbort(const v1::Abort& abort) {
  if (!trial_ || trial_->id != abort.trial_id()) return SendIdle(abort.trial_id());
  if (trial_->phase == Phase::kEnding) return;
  spdlog::info("trial {:016x} aborted in phase {}: {}", trial_->id, NameOf(trial_->phase), abort.reason());
  End();
}

void TrialRunner::AbortAll(const std::string& reason, std::function<void()> on_idle) {
  if (!trial_) return on_idle();
  trial_->on_idle.push_back(std::move(on_idle));
  if (trial_->phase == Phase::kEnding) return;
  spdlog::warn("trial {:016x} ended in phase {}: {}", trial_->id, NameOf(trial_->phase), reason);
  End();
}

void TrialRunner::Fail(const std::string& reason, std::vector<v1::StreamReport> streams) {
  spdlog::warn("trial {:016x} failed in phase {}: {}", trial_->id, NameOf(trial_->phase), reason);
  SendFailed(trial_->id, NameOf(trial_->phase), absl::StrCat(NameOf(trial_->phase), ": ", reason),
             std::move(streams));
  End();
}

void TrialRunner::End() {
  Enter(Phase::kEnding);
  trial_->job->Abort();
  // Behind whatever phase still runs there, which the abort makes return.
  trial_thread_.Post([this, alive = alive_, job = trial_->job, &executor = executor_] {
    job->Release();
    executor.Post([this, alive] {
      if (*alive) OnReleased();
    });
  });
}

void TrialRunner::OnReleased() {
  const std::unique_ptr<Trial> ended = std::move(trial_);
  SendIdle(ended->id);
  for (const auto& on_idle : ended->on_idle) on_idle();
}

void TrialRunner::SendFailed(uint64_t trial_id, const std::string& phase, const std::string& reason,
                             std::vector<v1::StreamReport> streams) {
  v1::WorkerMessage message;
  v1::TrialFailed* failed = message.mutable_failed();
  failed->set_trial_id(trial_id);
  failed->set_phase(phase);
  failed->set_reason(reason);
  for (v1::StreamReport& stream : streams) *failed->add_streams() = std::move(stream);
  send_(std::move(message));
}

void TrialRunner::SendIdle(uint64_t trial_id) {
  v1::WorkerMessage message;
  message.mutable_idle()->set_trial_id(trial_id);
  send_(std::move(message));
}

}  // namespace tutti::session
