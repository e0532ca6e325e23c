// What a worker hears from a coordinator: the commands of trials in any order and with any content, over a
// load that is not there. Each step is one command; its bytes are merged into one that fits, so that small
// changes reach far.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/sync/executor.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/steps.h"
#include "tests/nanoseconds.h"
#include "tests/unit/worker/session/fake_trial_kernel.h"
#include "tests/unit/worker/session/trial_messages.h"
#include "worker/session/trial_runner.h"

namespace {

namespace v1 = tutti::v1;

using tutti::kMs;
using tutti::fuzz::Require;
using tutti::fuzz::Step;

constexpr size_t kMostSteps = 64;
// What a step is, modulo kKinds.
enum Kind : uint8_t { kCommand, kTurn, kPass, kMessage, kAbortAll, kKinds };

class Host {
 public:
  Host() {
    runner_.SetFacts(tutti::session::MakeFacts());
    kernel_.script.ports = {{2, 40001}};
    kernel_.script.finals = {{1, 11, 16'192}};
    tutti::load::StreamReport sender;
    sender.stream_id = 1;
    tutti::load::StreamReport receiver;
    receiver.stream_id = 2;
    receiver.side = tutti::load::Side::kReceive;
    kernel_.script.report.streams = {sender, receiver};
  }

  void Take(const Step& step) {
    switch (step.kind % kKinds) {
      case kCommand: {
        v1::CoordinatorMessage message = Command(step.detail);
        message.MergeFromString(step.bytes);
        return runner_.Handle(message, clock_.Now());
      }
      case kTurn:
        return Turn();
      case kPass:
        return executor_.AdvanceBy(step.detail * 20 * kMs);
      case kMessage: {
        v1::CoordinatorMessage message;
        if (message.ParseFromString(step.bytes)) runner_.Handle(message, clock_.Now());
        return;
      }
      default:
        return runner_.AbortAll("the session broke", [] {});
    }
  }

  void End() {
    Turn();
    runner_.AbortAll("the worker stops", [] {});
    Turn();
    Require(runner_.idle(), "a worker becomes idle, whatever its coordinator says");
    Require(sent_.empty() || sent_.back().has_idle(), "idle is the last word about a trial");
  }

 private:
  void Turn() {
    do {
      trial_thread_.RunReady();
      executor_.RunReady();
    } while (trial_thread_.pending() > 0);
  }

  v1::CoordinatorMessage Command(int which) const {
    switch (which % 7) {
      case 0:
        return tutti::session::MakePrepare();
      case 1:
        return tutti::session::MakeConnect();
      case 2: {
        v1::CoordinatorMessage arm = tutti::session::MakeArm();
        const int64_t t0_ns = clock_.Now().ns + 100 * kMs;
        arm.mutable_arm()->set_t0_host_ns(t0_ns);
        arm.mutable_arm()->set_t0_timeline_ns(t0_ns + 1'000 * kMs);
        return arm;
      }
      case 3:
        return tutti::session::MakeDrain();
      case 4:
        return tutti::session::MakeFinish();
      case 5:
        return tutti::session::MakeAbort();
      default: {
        v1::CoordinatorMessage update;
        update.mutable_clock_update()->set_trial_id(tutti::session::kTrial);
        update.mutable_clock_update()->mutable_mapping()->set_reference_timeline_ns(1'000 * kMs);
        return update;
      }
    }
  }

  tutti::ManualExecutor executor_{100 * kMs};
  tutti::ManualExecutor trial_thread_;
  tutti::session::ManualClock clock_{executor_};
  tutti::session::FakeTrialKernel kernel_;
  std::vector<v1::WorkerMessage> sent_;
  tutti::session::TrialRunner runner_{
      executor_, trial_thread_, clock_, kernel_,
      [this](v1::WorkerMessage message) { sent_.push_back(std::move(message)); }};
};

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  std::vector<Step> whole;
  for (const uint8_t which : {0, 1, 2, 6, 3, 4}) {
    whole.push_back({kCommand, which, ""});
    whole.push_back({kTurn, 0, ""});
  }
  // The content of each command, for the steps that are merged.
  v1::CoordinatorMessage prepare = session::MakePrepare();
  prepare.mutable_prepare()->mutable_timing()->set_warmup_ns(INT64_MAX);
  prepare.mutable_prepare()->mutable_streams(0)->mutable_cpus()->set_kind(v1::CpuChoice::KIND_LIST);
  prepare.mutable_prepare()->mutable_streams(0)->mutable_cpus()->add_cpus(7);
  v1::CoordinatorMessage connect = session::MakeConnect();
  connect.mutable_connect()->set_deadline_ns(INT64_MIN);
  v1::CoordinatorMessage update;
  update.mutable_clock_update()->mutable_mapping()->set_reference_host_ns(INT64_MIN);
  update.mutable_clock_update()->mutable_mapping()->set_drift(0.009);
  std::vector<Step> changed;
  changed.push_back({kCommand, 0, prepare.SerializeAsString()});
  changed.push_back({kTurn, 0, ""});
  changed.push_back({kCommand, 0, ""});
  changed.push_back({kTurn, 0, ""});
  changed.push_back({kCommand, 1, connect.SerializeAsString()});
  changed.push_back({kTurn, 0, ""});
  changed.push_back({kCommand, 2, session::MakeArm().SerializeAsString()});
  changed.push_back({kTurn, 0, ""});
  changed.push_back({kCommand, 6, update.SerializeAsString()});
  changed.push_back({kPass, 100, ""});
  changed.push_back({kAbortAll, 0, ""});
  const std::vector<Step> raw = {{kMessage, 0, session::MakePrepare().SerializeAsString()},
                                 {kTurn, 0, ""},
                                 {kMessage, 0, session::MakeFinish(5).SerializeAsString()},
                                 {kMessage, 0, session::MakeAbort().SerializeAsString()}};
  return {InputOf(whole), InputOf(changed), InputOf(raw)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fuzz::BeQuiet();
  Host host;
  for (const Step& step : tutti::fuzz::StepsOf(data, size, kMostSteps)) host.Take(step);
  host.End();
  return 0;
}
