// Operations that remember what they were asked and answer what a test says.
#pragma once

#include <google/protobuf/message.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/sync/thread_annotations.h"
#include "coordinator/api/operations.h"
#include "coordinator/report/report.h"

namespace tutti::http {

inline constexpr char kRun[] = "run-7";

// Thread-safe but for the answers, which are to be set before anybody asks.
class FakeOperations final : public api::Operations {
 public:
  FakeOperations() {
    submitted.set_run_id(kRun);
    info.mutable_summary()->set_run_id(kRun);
    info.set_state(tutti::v1::RunInfo::STATE_RUNNING);
    result.set_schema_version(1);
    result.set_run_id(kRun);
    result.set_status(tutti::v1::RUN_STATUS_PASSED);
    worker.set_name("a");
    worker.set_state(tutti::v1::WorkerInfo::STATE_IDLE);
    *workers.add_workers() = worker;
  }

  absl::Status error;  // not ok: the answer to every question
  tutti::v1::SubmitResponse submitted;
  tutti::v1::RunInfo info;
  tutti::v1::Result result;
  tutti::v1::ListRunsResponse runs;
  tutti::v1::WhyNotResponse why_not;
  tutti::v1::ValidatePlanResponse validated;
  tutti::v1::DryRunResponse dry_run;
  tutti::v1::WorkerInfo worker;
  tutti::v1::ListWorkersResponse workers;
  std::vector<run::SharedEvent> kept;  // of the run
  bool ended = false;                  // and nothing comes behind `kept`
  bool hold = false;                   // answers wait for Release

  // "Submit {"plan":...}" each, in order.
  std::vector<std::string> asked() {
    MutexLock lock(mutex_);
    return asked_;
  }
  std::string last_asked() {
    MutexLock lock(mutex_);
    return asked_.empty() ? "" : asked_.back();
  }
  // False after ten seconds.
  bool WaitForAsked(const std::string& what) {
    return WaitFor([&]() TUTTI_REQUIRES(mutex_) {
      return std::any_of(asked_.begin(), asked_.end(),
                         [&](const std::string& each) { return each.rfind(what, 0) == 0; });
    });
  }
  bool WaitForWatchers(size_t count) {
    return WaitFor([&]()
                       TUTTI_REQUIRES(mutex_) { return watchers_.size() + fleet_watchers_.size() == count; });
  }
  void Release() {
    std::vector<std::function<void()>> held;
    {
      MutexLock lock(mutex_);
      held.swap(held_);
    }
    for (const auto& answer : held) answer();
  }
  // To everybody who watches.
  void Emit(const run::SharedEvent& event) {
    for (const auto& watcher : Watchers()) watcher->OnEvent(event);
  }
  void End() {
    for (const auto& watcher : Watchers()) watcher->OnEnd();
  }
  void EmitFleet(const tutti::v1::FleetEvent& event) {
    std::vector<std::shared_ptr<fleet::FleetWatcher>> watchers;
    {
      MutexLock lock(mutex_);
      watchers = fleet_watchers_;
    }
    for (const auto& watcher : watchers) watcher->OnFleetEvent(event);
  }

  void Submit(const tutti::v1::SubmitRequest& request, Done<tutti::v1::SubmitResponse> done) override {
    Answer("Submit", request, submitted, std::move(done));
  }
  void Cancel(const tutti::v1::CancelRequest& request, Done<tutti::v1::CancelResponse> done) override {
    Answer("Cancel", request, tutti::v1::CancelResponse(), std::move(done));
  }
  void GetRun(const tutti::v1::GetRunRequest& request, Done<tutti::v1::RunInfo> done) override {
    Answer("GetRun", request, info, std::move(done));
  }
  void GetResult(const tutti::v1::GetResultRequest& request, Done<SharedResult> done) override {
    Answer("GetResult", request, SharedResult(std::make_shared<tutti::v1::Result>(result)), std::move(done));
  }
  void ListRuns(const tutti::v1::ListRunsRequest& request, Done<tutti::v1::ListRunsResponse> done) override {
    Answer("ListRuns", request, runs, std::move(done));
  }
  void ListEvents(const tutti::v1::ListEventsRequest& request,
                  Done<tutti::v1::ListEventsResponse> done) override {
    Answer("ListEvents", request, tutti::v1::ListEventsResponse(), std::move(done));
  }
  void DeleteRun(const tutti::v1::DeleteRunRequest& request,
                 Done<tutti::v1::DeleteRunResponse> done) override {
    Answer("DeleteRun", request, tutti::v1::DeleteRunResponse(), std::move(done));
  }
  void WhyNot(const tutti::v1::WhyNotRequest& request, Done<tutti::v1::WhyNotResponse> done) override {
    Answer("WhyNot", request, why_not, std::move(done));
  }
  void ValidatePlan(const tutti::v1::ValidatePlanRequest& request,
                    Done<tutti::v1::ValidatePlanResponse> done) override {
    Answer("ValidatePlan", request, validated, std::move(done));
  }
  void DryRun(const tutti::v1::DryRunRequest& request, Done<tutti::v1::DryRunResponse> done) override {
    Answer("DryRun", request, dry_run, std::move(done));
  }
  void ListWorkers(const tutti::v1::ListWorkersRequest& request,
                   Done<tutti::v1::ListWorkersResponse> done) override {
    Answer("ListWorkers", request, workers, std::move(done));
  }
  void GetWorker(const tutti::v1::GetWorkerRequest& request, Done<tutti::v1::WorkerInfo> done) override {
    Answer("GetWorker", request, worker, std::move(done));
  }
  void DrainWorker(const tutti::v1::DrainWorkerRequest& request,
                   Done<tutti::v1::DrainWorkerResponse> done) override {
    Answer("DrainWorker", request, tutti::v1::DrainWorkerResponse(), std::move(done));
  }
  void UndrainWorker(const tutti::v1::UndrainWorkerRequest& request,
                     Done<tutti::v1::UndrainWorkerResponse> done) override {
    Answer("UndrainWorker", request, tutti::v1::UndrainWorkerResponse(), std::move(done));
  }
  void ForgetWorker(const tutti::v1::ForgetWorkerRequest& request,
                    Done<tutti::v1::ForgetWorkerResponse> done) override {
    Answer("ForgetWorker", request, tutti::v1::ForgetWorkerResponse(), std::move(done));
  }

  void Watch(const tutti::v1::WatchRequest& request, std::shared_ptr<run::EventWatcher> watcher,
             std::function<void(const absl::Status&)> refused) override {
    Note("Watch", request);
    if (request.run_id() != kRun) return refused(absl::NotFoundError("no run \"" + request.run_id() + "\""));
    for (const run::SharedEvent& event : kept) {
      if (event->sequence() > request.after_sequence()) watcher->OnEvent(event);
    }
    if (ended) return watcher->OnEnd();
    MutexLock lock(mutex_);
    watchers_.push_back(std::move(watcher));
    changed_.NotifyAll();
  }
  void Unwatch(const std::string& run_id, std::shared_ptr<run::EventWatcher> watcher) override {
    MutexLock lock(mutex_);
    watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), watcher), watchers_.end());
    changed_.NotifyAll();
  }
  void WatchFleet(const tutti::v1::WatchFleetRequest& request,
                  std::shared_ptr<fleet::FleetWatcher> watcher) override {
    Note("WatchFleet", request);
    MutexLock lock(mutex_);
    fleet_watchers_.push_back(std::move(watcher));
    changed_.NotifyAll();
  }
  void UnwatchFleet(std::shared_ptr<fleet::FleetWatcher> watcher) override {
    MutexLock lock(mutex_);
    fleet_watchers_.erase(std::remove(fleet_watchers_.begin(), fleet_watchers_.end(), watcher),
                          fleet_watchers_.end());
    changed_.NotifyAll();
  }

 private:
  void Note(const char* what, const google::protobuf::Message& request) {
    MutexLock lock(mutex_);
    asked_.push_back(std::string(what) + " " + report::RenderMessageJson(request, {.indent = false}));
    changed_.NotifyAll();
  }

  template <typename Value>
  void Answer(const char* what, const google::protobuf::Message& request, const Value& value,
              Done<Value> done) {
    const absl::StatusOr<Value> answer =
        error.ok() ? absl::StatusOr<Value>(value) : absl::StatusOr<Value>(error);
    if (hold) {
      MutexLock lock(mutex_);
      held_.push_back([done, answer] { done(answer); });
    }
    // Behind that: who has seen the question may release its answer.
    Note(what, request);
    if (!hold) done(answer);
  }

  std::vector<std::shared_ptr<run::EventWatcher>> Watchers() {
    MutexLock lock(mutex_);
    return watchers_;
  }

  template <typename Condition>
  bool WaitFor(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    MutexLock lock(mutex_);
    while (!condition()) {
      if (!changed_.WaitUntil(mutex_, deadline)) return condition();
    }
    return true;
  }

  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> asked_ TUTTI_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> held_ TUTTI_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<run::EventWatcher>> watchers_ TUTTI_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<fleet::FleetWatcher>> fleet_watchers_ TUTTI_GUARDED_BY(mutex_);
};

}  // namespace tutti::http
