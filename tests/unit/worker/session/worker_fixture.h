// A worker whose coordinator is the test: sessions are held open, broken and answered by it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/worker/session/fake_trial_kernel.h"
#include "tests/unit/worker/session/trial_messages.h"
#include "worker/session/worker.h"

namespace tutti::session {

inline constexpr int64_t kLeaseNs = 2'000 * kMs;

// One session as the test drives it from the coordinator's side.
struct FakeSession {
  SessionHandlers handlers;
  std::vector<v1::WorkerMessage> sent;
  bool finished = false;
  bool cancelled = false;
};

class FakeStream final : public SessionStream {
 public:
  FakeStream(std::shared_ptr<FakeSession> session, Executor& executor)
      : session_(std::move(session)), executor_(executor) {}
  void Send(v1::WorkerMessage message) override { session_->sent.push_back(std::move(message)); }
  void Finish() override {
    session_->finished = true;
    if (closes_when_finished) Close(absl::OkStatus());
  }
  void Cancel() override {
    session_->cancelled = true;
    Close(absl::CancelledError("cancelled"));
  }
  static inline bool closes_when_finished = true;

 private:
  void Close(absl::Status status) {
    executor_.Post([handlers = session_->handlers, status] { handlers.on_closed(status); });
  }
  std::shared_ptr<FakeSession> session_;
  Executor& executor_;
};

class FakeDialer final : public SessionDialer {
 public:
  explicit FakeDialer(Executor& executor) : executor_(executor) {}
  absl::StatusOr<std::unique_ptr<SessionStream>> Dial(SessionHandlers handlers) override {
    if (!policy.ok()) return policy;
    sessions.push_back(std::make_shared<FakeSession>());
    sessions.back()->handlers = std::move(handlers);
    return std::make_unique<FakeStream>(sessions.back(), executor_);
  }
  ControlPath FindControlPath() override { return {.own_address = "10.0.0.1", .coordinator_address = ""}; }

  absl::Status policy;
  std::vector<std::shared_ptr<FakeSession>> sessions;

 private:
  Executor& executor_;
};

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() { FakeStream::closes_when_finished = true; }

  static WorkerOptions Options() {
    WorkerOptions options;
    options.name = "alpha";
    options.labels = {{"rack", "a"}};
    options.incarnation = 99;
    options.gather_facts = [] { return MakeFacts(); };
    return options;
  }
  void Run() {
    do {
      trial_thread.RunReady();
      executor.RunReady();
    } while (trial_thread.pending() > 0);
  }
  // In steps, so that the trial's thread takes part.
  void Advance(int64_t ns) {
    Run();
    for (int64_t done = 0; done < ns;) {
      const int64_t step = std::min<int64_t>(ns - done, 10 * kMs);
      executor.AdvanceBy(step);
      Run();
      done += step;
    }
  }
  void Give(v1::CoordinatorMessage message) {
    session().handlers.on_message(message, clock.Now());
    Run();
  }
  void Probe() {
    v1::CoordinatorMessage message;
    message.mutable_clock_probe()->set_sequence(++probes_);
    message.mutable_clock_probe()->set_sent_timeline_ns(1234);
    Give(message);
  }
  // With a session id the session may be taken up again.
  void Register(uint64_t session_id = 0) {
    v1::CoordinatorMessage message;
    message.mutable_registered()->set_lease_ns(kLeaseNs);
    message.mutable_registered()->set_session_id(session_id);
    Give(message);
  }
  void Refuse(bool retry) {
    v1::CoordinatorMessage message;
    message.mutable_refused()->set_reason("name in use by 10.0.0.9, use --name");
    message.mutable_refused()->set_retry(retry);
    Give(message);
  }
  void StartAndRegister(uint64_t session_id = 0) {
    worker.Start();
    Run();
    Register(session_id);
  }
  // A trial whose senders are at work.
  void StartTrial() {
    Give(MakePrepare());
    Give(MakeConnect());
    v1::CoordinatorMessage arm = MakeArm();
    const int64_t t0 = clock.Now().ns + kT0Ns;
    arm.mutable_arm()->set_t0_host_ns(t0);
    arm.mutable_arm()->set_t0_timeline_ns(t0 + 1'000 * kMs);
    Give(arm);
    ASSERT_TRUE(session().sent.back().has_senders_stopped());
  }
  FakeSession& session() { return *dialer.sessions.back(); }

  ManualExecutor executor{100 * kMs};
  ManualExecutor trial_thread;
  ManualClock clock{executor};
  FakeTrialKernel kernel;
  FakeDialer dialer{executor};
  int registrations = 0;
  std::string refusal;
  Worker worker{
      Options(),
      executor,
      trial_thread,
      clock,
      dialer,
      kernel,
      WorkerEvents{[this] { ++registrations; }, [this](const std::string& reason) { refusal = reason; }}};

 private:
  uint64_t probes_ = 0;
};

}  // namespace tutti::session
