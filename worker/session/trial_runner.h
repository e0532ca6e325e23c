// One trial at a time: takes the coordinator's commands, has them done on the trial's thread, answers.
//
//   idle -> PREPARE -> prepared -> CONNECT -> connected -> ARM -> running -> stopped [-> DRAIN -> drained] ->
//   REPORT -> idle
//
// A Finish while the streams run or drain stops them at once and reports what there is.
// From every state: a failure -> TrialFailed, then ending -> Idle; Abort -> ending -> Idle. A command that
// does not fit the state ends the trial as a failure; one for a trial that is not this worker's is answered
// by TrialFailed and Idle of that id and leaves the own trial alone. Idle is always the last word about a
// trial.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/sync/executor.h"
#include "common/time/clock.h"
#include "tutti/v1/session.pb.h"
#include "worker/session/trial_job.h"
#include "worker/session/trial_kernel.h"

namespace tutti::session {

// Lives on `executor`'s thread: every method is called there, `send` too. `trial_thread` is an executor that
// nobody else needs to be quick: the phases block on it. Both executors, the clock and the kernel outlive the
// runner; the trial thread is ended (or idle) before the runner is destroyed.
class TrialRunner {
 public:
  TrialRunner(Executor& executor, Executor& trial_thread, const Clock& clock, TrialKernel& kernel,
              std::function<void(v1::WorkerMessage)> send);
  ~TrialRunner();

  // The host as it was told to the coordinator; streams of later trials are placed on its CPUs.
  void SetFacts(v1::HostFacts facts);

  // `received`: when the message arrived; deadlines count from there. Other messages are ignored.
  void Handle(const v1::CoordinatorMessage& message, HostTime received);

  // Ends the trial, if there is one, and calls `on_idle` when nothing of it is left. Idempotent.
  void AbortAll(const std::string& reason, std::function<void()> on_idle);

  bool idle() const { return trial_ == nullptr; }

 private:
  enum class Phase {
    kPreparing,
    kPrepared,
    kConnecting,
    kConnected,
    kArming,
    kRunning,
    kStopped,
    kDraining,
    kDrained,
    kReporting,
    kEnding,
  };
  struct Trial {
    uint64_t id = 0;
    Phase phase = Phase::kPreparing;
    int64_t length_ns = 0;  // warm-up, window and cool-down
    std::shared_ptr<TrialJob> job;
    std::vector<v1::EdgeSample> edges;
    TimerId timer = 0;
    std::vector<std::function<void()>> on_idle;
  };

  static const char* NameOf(Phase phase);

  void OnPrepare(const v1::Prepare& prepare, HostTime received);
  void OnConnect(const v1::Connect& connect, HostTime received);
  void OnArm(const v1::Arm& arm);
  void OnClockUpdate(const v1::ClockUpdate& update);
  void OnArmed(int64_t t0_host_ns);
  void OnDrain(const v1::Drain& drain, HostTime received);
  void OnFinish(uint64_t trial_id);
  void OnAbort(const v1::Abort& abort);
  void OnEdge(uint64_t trial_id, v1::EdgeSample edge);

  // True if the trial is this one and in the phase that `command` needs; otherwise it has been answered.
  bool Expect(uint64_t trial_id, const char* command, std::initializer_list<Phase> phases);
  // Does `work` on the trial's thread and then `done` with its result here, unless the trial is ending by
  // then.
  template <typename Result>
  void Work(std::function<Result(TrialJob&)> work, std::function<void(Result)> done);
  // Fails the trial if `phase` lasts longer.
  void Enter(Phase phase, int64_t at_most_ns);
  void Enter(Phase phase);
  void Fail(const std::string& reason, std::vector<v1::StreamReport> streams);
  void End();
  void OnReleased();
  void SendFailed(uint64_t trial_id, const std::string& phase, const std::string& reason,
                  std::vector<v1::StreamReport> streams);
  void SendIdle(uint64_t trial_id);

  Executor& executor_;
  Executor& trial_thread_;
  const Clock& clock_;
  TrialKernel& kernel_;
  const std::function<void(v1::WorkerMessage)> send_;
  std::shared_ptr<const v1::HostFacts> facts_;
  std::unique_ptr<Trial> trial_;
  uint64_t generation_ = 0;            // tells what was posted for an earlier trial
  const std::shared_ptr<bool> alive_;  // what is posted looks at it before it touches the runner
};

}  // namespace tutti::session
