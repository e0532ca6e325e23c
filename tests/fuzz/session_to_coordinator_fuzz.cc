// What a coordinator hears over its workers' sessions while it drives a trial of two of them: hellos, answers
// and clock replies, in any order and with any content. Each step is one message; its bytes are merged into
// one that fits, so that small changes reach far.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/sync/executor.h"
#include "common/version/version.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/run/live_merger.h"
#include "coordinator/run/trial_driver.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/steps.h"
#include "tests/nanoseconds.h"
#include "tests/unit/coordinator/fleet/fake_link.h"
#include "tests/unit/coordinator/run/trial_fixture.h"

namespace {

namespace v1 = tutti::v1;

using tutti::kMs;
using tutti::TimelineTime;
using tutti::fuzz::Require;
using tutti::fuzz::Step;

constexpr size_t kMostSteps = 128;
constexpr int64_t kHostBehindNs = 5'000 * kMs;
// Longer than any deadline of a trial that was cancelled.
constexpr int64_t kEndNs = 30'000 * kMs;
// What a step is, modulo kKinds.
enum Kind : uint8_t { kAnswer, kPass, kMessage, kHello, kClosed, kCancel, kKinds };

class Stage final : public tutti::fleet::WorkerListener {
 public:
  Stage() : fleet_(executor_, {}) {
    for (const char* name : {"a", "b"}) Dial(name, "");
    Pass(50 * kMs);
    fleet_.Assign({"a", "b"}, "run-1", this);
    StartTrial();
  }

  void Take(const Step& step) {
    switch (step.kind % kKinds) {
      case kAnswer: {
        v1::WorkerMessage message = Answer(step.detail / 2);
        message.MergeFromString(step.bytes);
        return Hear(step.detail % 2, std::move(message));
      }
      case kPass:
        return Pass(step.detail * 4 * kMs);
      case kMessage: {
        v1::WorkerMessage message;
        if (message.ParseFromString(step.bytes)) Hear(step.detail, std::move(message));
        return;
      }
      case kHello:
        return Dial(std::string(1, static_cast<char>('a' + step.detail % 3)), step.bytes);
      case kClosed:
        return fleet_.HandleClosed(links_[step.detail % links_.size()].get(), "closed");
      default:
        if (trial_ != nullptr) trial_->Cancel();
    }
  }

  void End() {
    if (trial_ != nullptr) trial_->Cancel();
    executor_.AdvanceBy(kEndNs);
    Require(trial_ == nullptr, "a trial ends, whatever its workers say");
    static_cast<void>(fleet_.Snapshot());
  }

  void OnWorkerMessage(const std::string& worker, v1::WorkerMessage message) override {
    if (trial_ != nullptr) trial_->OnMessage(worker, message);
  }
  void OnWorkerLost(const std::string& worker, const std::string& reason) override {
    if (trial_ != nullptr) trial_->OnLost(worker, reason);
  }
  void OnWorkerRegistered(const std::string&) override {}

 private:
  void StartTrial() {
    tutti::run::TrialSetup setup = tutti::run::MakeSetup();
    v1::Flow& flow = setup.flows.emplace_back();
    flow.set_entry("bulk");
    flow.set_from_host("a");
    flow.set_to_host("b");
    v1::Case plan_case;
    *plan_case.mutable_timing() = setup.timing;
    plan_case.add_traffic()->set_name("bulk");
    tutti::run::LiveMerger merger(plan_case, 1, setup.flows, setup.ends);
    tutti::run::TrialDriver::Callbacks callbacks;
    callbacks.on_phase = [](tutti::run::Phase) {};
    callbacks.on_interval = [](v1::LiveInterval) {};
    callbacks.on_finished = [this](tutti::run::TrialOutcome) { trial_ = nullptr; };
    trial_ = std::make_unique<tutti::run::TrialDriver>(executor_, fleet_, std::move(setup), std::move(merger),
                                                       std::move(callbacks));
    trial_->Start();
  }

  void Dial(const std::string& name, const std::string& changes) {
    v1::Hello hello;
    hello.set_protocol_version(tutti::kProtocolVersion);
    hello.set_name(name);
    hello.set_incarnation(links_.size() + 1);
    hello.mutable_facts()->set_boot_id(absl::StrCat("boot-", name));
    hello.MergeFromString(changes);
    links_.push_back(std::make_shared<tutti::fleet::FakeLink>());
    fleet_.HandleHello(links_.back(), std::move(hello));
  }

  void Hear(size_t link, v1::WorkerMessage message) {
    fleet_.HandleMessage(links_[link % links_.size()].get(), std::move(message), Now());
  }

  // The workers answer the probes of their clocks.
  void Pass(int64_t ns) {
    executor_.AdvanceBy(ns);
    for (size_t i = 0; i < links_.size(); ++i) {
      const std::vector<uint64_t> probes = std::exchange(links_[i]->probes, {});
      for (const uint64_t sequence : probes) {
        v1::WorkerMessage message;
        message.mutable_clock_reply()->set_sequence(sequence);
        message.mutable_clock_reply()->set_probe_sent_timeline_ns(Now().ns);
        message.mutable_clock_reply()->set_received_host_ns(Now().ns - kHostBehindNs);
        message.mutable_clock_reply()->set_sent_host_ns(Now().ns - kHostBehindNs);
        Hear(i, std::move(message));
      }
    }
  }

  v1::WorkerMessage Answer(int which) {
    switch (which % 10) {
      case 0:
        return tutti::run::PreparedMessage({{0, 4711}});
      case 1:
        return tutti::run::ConnectedMessage();
      case 2:
        return tutti::run::ArmedMessage();
      case 3: {
        const uint32_t index = edges_++ / 2;  // of both hosts
        v1::WorkerMessage message =
            tutti::run::ProgressMessage(index, (100 + 100 * int64_t{index}) * kMs, {index * 1000u});
        message.mutable_progress()->mutable_edge()->add_messages(index);
        return message;
      }
      case 4:
        return tutti::run::StoppedMessage({{0, 10'000}});
      case 5:
        return tutti::run::DrainedMessage();
      case 6:
        return tutti::run::ReportMessage(1);
      case 7:
        return tutti::run::FailedMessage("PREPARE", "it failed");
      case 8:
        return tutti::run::IdleMessage();
      default: {
        v1::WorkerMessage message;
        message.mutable_clock_reply();
        return message;
      }
    }
  }

  TimelineTime Now() const { return {executor_.NowNs()}; }

  tutti::ManualExecutor executor_{1'000'000 * kMs};
  tutti::fleet::Fleet fleet_;
  std::vector<std::shared_ptr<tutti::fleet::FakeLink>> links_;
  uint32_t edges_ = 0;
  std::unique_ptr<tutti::run::TrialDriver> trial_;  // null once it has ended
};

// Of both hosts.
void AddAnswers(uint8_t which, std::vector<Step>& steps) {
  for (const uint8_t host : {uint8_t{0}, uint8_t{1}}) {
    steps.push_back({kAnswer, static_cast<uint8_t>(which * 2 + host), ""});
  }
  steps.push_back({kPass, 10, ""});
}

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  // A whole trial: 100 ms of warm-up, 1 s of window, 50 ms of cool-down.
  std::vector<Step> whole;
  for (const uint8_t which : {0, 1, 2}) AddAnswers(which, whole);
  whole.push_back({kPass, 50, ""});
  for (int edge = 0; edge < 11; ++edge) {
    AddAnswers(3, whole);
    whole.push_back({kPass, 15, ""});
  }
  for (const uint8_t which : {4, 5, 6, 8}) AddAnswers(which, whole);

  // The content of an answer, for the steps that are merged.
  v1::WorkerMessage report = run::ReportMessage(1);
  report.mutable_report()->mutable_streams(0)->set_total_bytes(1000);
  report.mutable_report()->mutable_clock()->set_window_end_host_ns(1);
  v1::EdgeSample& edge = *report.mutable_report()->add_edges();
  edge.set_begin_trial_ns(100);
  edge.mutable_cpu()->set_host_ns(1);
  v1::Hello hello;
  hello.set_control_address("10.0.0.1");
  hello.mutable_labels()->emplace("rack", "a");
  v1::WorkerMessage reply;
  reply.mutable_clock_reply()->set_received_host_ns(INT64_MAX);
  reply.mutable_clock_reply()->set_sent_host_ns(INT64_MIN);
  std::vector<Step> changed = whole;
  changed.push_back({kAnswer, 12, report.SerializeAsString()});
  changed.push_back({kMessage, 1, reply.SerializeAsString()});
  changed.push_back({kHello, 1, hello.SerializeAsString()});
  const std::vector<Step> lost = {{kPass, 10, ""},  {kAnswer, 0, ""}, {kClosed, 0, ""},
                                  {kPass, 255, ""}, {kHello, 0, ""},  {kHello, 1, hello.SerializeAsString()},
                                  {kPass, 255, ""}, {kCancel, 0, ""}};
  return {InputOf(whole), InputOf(changed), InputOf(lost)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fuzz::BeQuiet();
  Stage stage;
  for (const Step& step : tutti::fuzz::StepsOf(data, size, kMostSteps)) stage.Take(step);
  stage.End();
  return 0;
}
