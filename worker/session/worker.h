// The worker's life: reach the coordinator, register, serve, and come back after every loss.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/sync/executor.h"
#include "common/time/clock.h"
#include "common/time/realtime_conversion.h"
#include "tutti/v1/session.pb.h"
#include "worker/session/backoff.h"
#include "worker/session/clock_responder.h"
#include "worker/session/held_session.h"
#include "worker/session/session_stream.h"
#include "worker/session/trial_kernel.h"
#include "worker/session/trial_runner.h"

namespace tutti::session {

struct WorkerOptions {
  std::string name;
  std::map<std::string, std::string> labels;
  uint64_t incarnation = 0;  // random per start
  // What this host is; called on the trial's thread before each registration, may block.
  std::function<absl::StatusOr<v1::HostFacts>()> gather_facts;
  std::string address;  // by which other hosts reach this one; empty: the one that reaches the coordinator
  // Of the same time as the worker's clock; for the kernel's packet stamps. Outlives the worker.
  const BracketReader* brackets = &SystemBracketReader::Get();
};

// Called on the executor's thread.
struct WorkerEvents {
  std::function<void()> on_registered;                        // each time
  std::function<void(const std::string& reason)> on_refused;  // for good: the worker has stopped
};

// One session at a time. When its connection breaks, or nothing was heard for half the lease, the trial goes
// on and the worker dials again; the coordinator takes the session up where both ends know it to be. A
// session that the coordinator ends or does not know any more, or in which nothing was heard for the lease,
// ends the trial at once, and nothing of it is left before the next registration: a new session always begins
// idle.
//
// The executors, clock, dialer and kernel outlive the worker. Start and Stop are callable from any thread;
// the worker is destroyed after Stop's callback, when its trial thread has ended or is idle.
class Worker {
 public:
  Worker(WorkerOptions options, Executor& executor, Executor& trial_thread, const Clock& clock,
         SessionDialer& dialer, TrialKernel& kernel, WorkerEvents events);
  ~Worker();

  void Start();
  // Ends the trial, closes the session and calls `on_stopped` on the executor, within a second.
  void Stop(std::function<void()> on_stopped);

 private:
  enum class State {
    kIdle,
    kConnecting,
    kRegistering,
    kRegistered,
    kAway,      // registered, without a connection: dials again in a moment
    kResuming,  // registered, on a new connection that the coordinator has not taken up yet
    kStopping,
    kStopped,
  };

  // Ends what is left of a trial, gathers the facts, dials.
  void Connect();
  void Dial(v1::HostFacts facts, const ControlPath& path);
  // Opens a connection with this hello, which it completes. False: it may not be dialled, the worker stops.
  bool SayHello(v1::Hello hello, State next);
  void RetryLater(const std::string& why);
  void OnMessage(const v1::CoordinatorMessage& message, HostTime received);
  void OnRegistered(const v1::Registered& registered);
  void OnResumed(const v1::Registered& registered);
  void StartResponder(const v1::ClockService& service);
  void OnRefused(const v1::Refused& refused);
  void OnClosed(const absl::Status& status);
  // The connection is of no use any more, the session still is.
  void GoAway(const std::string& why);
  void Redial();
  void DropConnection();
  // Neither is: the trial ends now, and a new session is tried for.
  void GiveUp(const std::string& why);
  void AnswerProbe(const v1::ClockProbe& probe, HostTime received);
  void MeasureBackground(const v1::MeasureBackground& request);
  // Ends the session when nothing was heard for `limit_ns_`, its connection after half of that.
  void WatchSilence();
  void OnSilence();
  void BeginStop();
  void EndStop();
  void Send(v1::WorkerMessage message);
  // Runs `task` later on the executor unless the worker is gone or another session has begun.
  std::function<void()> InSession(std::function<void()> task);

  const WorkerOptions options_;
  Executor& executor_;
  Executor& trial_thread_;
  const Clock& clock_;
  SessionDialer& dialer_;
  TrialKernel& kernel_;
  const WorkerEvents events_;
  // Everything below belongs to the executor's thread.
  State state_ = State::kIdle;
  Backoff backoff_;
  Backoff redial_backoff_;
  std::unique_ptr<SessionStream> stream_;
  HeldSession held_;
  std::string coordinator_address_;            // of this session; empty: not reached over IP
  std::unique_ptr<ClockResponder> responder_;  // while registered, if the coordinator offers it
  uint64_t session_ = 0;                       // counts attempts to get one
  uint64_t connection_ = 0;                    // counts dials; what an earlier one still delivers is nobody's
  int64_t attempt_ns_ = 0;                     // how long the next dial within the lease may take
  int64_t limit_ns_ = 0;                       // the lease, or the time to register
  int64_t last_heard_ns_ = 0;                  // executor time, on a connection of the session
  TimerId silence_timer_ = 0;
  TimerId retry_timer_ = 0;
  TimerId attempt_timer_ = 0;
  std::string refusal_;          // for good
  std::string refused_for_now_;  // why the session is about to end
  std::string last_failure_;     // logged once, however often it repeats
  std::function<void()> on_stopped_;
  TrialRunner runner_;
  const std::shared_ptr<bool> alive_;
};

}  // namespace tutti::session
