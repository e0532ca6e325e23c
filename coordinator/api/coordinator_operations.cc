#include "coordinator/api/coordinator_operations.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/sync/control_priority.h"
#include "coordinator/api/request_check.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/run/run_preparation.h"
#include "coordinator/store/result_parts.h"
#include "coordinator/store/run_store.h"

namespace tutti::api {
namespace {

namespace v1 = tutti::v1;

constexpr char kNoStore[] = "this coordinator keeps no results: start it with --state-dir FOLDER";

// Of a request that carries a plan.
template <typename Request>
std::vector<std::string> OverridesOf(const Request& request) {
  return {request.overrides().begin(), request.overrides().end()};
}

template <typename Request>
absl::StatusOr<v1::Plan> LoadPlanOf(const Request& request) {
  return plan::LoadValidPlan(request.plan(), request.source_name(), OverridesOf(request));
}

// The answer of a call that has nothing to say but how it went.
template <typename Response>
void Tell(const Operations::Done<Response>& done, const absl::Status& status) {
  if (!status.ok()) return done(status);
  done(Response());
}

v1::RunInfo InfoOf(const store::KeptRun& kept) {
  v1::RunInfo info;
  *info.mutable_summary() = kept.summary;
  // One that has not ended and is not in memory: its end could not be written.
  const bool ended = kept.summary.has_exit_code();
  info.set_state(ended ? v1::RunInfo::STATE_ENDED : v1::RunInfo::STATE_RUNNING);
  info.set_state_since_unix_ns(ended ? kept.summary.finished_unix_ns() : kept.summary.submitted_unix_ns());
  for (const v1::Host& host : kept.head.hosts()) info.add_hosts(host.name());
  *info.mutable_reasons() = kept.head.reasons();
  return info;
}

run::SharedEvent EndOf(v1::Result result) {
  auto event = std::make_shared<v1::RunEvent>();
  event->set_run_id(result.run_id());
  event->set_at_unix_ns(result.finished_unix_ns());
  event->set_sequence(run::kKeptEndSequence);
  *event->mutable_ended() = std::move(result);
  return event;
}

}  // namespace

void CoordinatorOperations::Decisions::Post(std::function<void()> task) const {
  executor_->Post([alive = alive_, task = std::move(task)] {
    if (!alive.expired()) task();
  });
}

struct CoordinatorOperations::Submitted {
  v1::SubmitRequest request;
  absl::StatusOr<v1::Plan> plan;
  absl::StatusOr<run::RunSpec> spec;  // the plan placed
  int placings = 0;
  Done<v1::SubmitResponse> done;

  run::Runs::OnKept Answer(bool repeated) const {
    return [done = done, repeated](const std::string& run_id, const absl::Status& kept) {
      if (!kept.ok()) return done(kept);
      v1::SubmitResponse response;
      response.set_run_id(run_id);
      response.set_repeated_key(repeated);
      done(std::move(response));
    };
  }
};

CoordinatorOperations::CoordinatorOperations(Executor& executor, fleet::Fleet& fleet, run::Runs& runs,
                                             StoredRuns* stored, std::unique_ptr<Executor> plans)
    : fleet_(fleet), runs_(runs), stored_(stored), decisions_(executor, alive_), plans_(std::move(plans)) {
  plans_->Post(&LeaveControlPriority);
}

CoordinatorOperations::~CoordinatorOperations() = default;

// --- Runs ---------------------------------------------------------------------------------------

void CoordinatorOperations::Submit(const v1::SubmitRequest& request, Done<v1::SubmitResponse> done) {
  if (const absl::Status status = CheckSubmission(request); !status.ok()) return done(status);
  const auto submitted = std::make_shared<Submitted>();
  submitted->request = request;
  submitted->done = std::move(done);
  plans_->Post([this, submitted] {
    submitted->plan = LoadPlanOf(submitted->request);
    decisions_.Post([this, submitted] { SubmitOnce(submitted); });
  });
}

void CoordinatorOperations::SubmitOnce(const std::shared_ptr<Submitted>& submitted) {
  const std::string& key = submitted->request.idempotency_key();
  if (runs_.Repeat(key, submitted->Answer(true))) return;
  if (key.empty() || stored_ == nullptr) return PlaceRun(submitted);
  stored_->RunOfKey(key, [this, decisions = decisions_, submitted](const absl::StatusOr<std::string>& id) {
    if (id.ok()) return submitted->Answer(true)(*id, absl::OkStatus());
    if (!absl::IsNotFound(id.status())) return submitted->done(id.status());
    decisions.Post([this, submitted] {
      // Another call with the key may have been quicker.
      if (!runs_.Repeat(submitted->request.idempotency_key(), submitted->Answer(true))) PlaceRun(submitted);
    });
  });
}

void CoordinatorOperations::PlaceRun(const std::shared_ptr<Submitted>& submitted) {
  if (!submitted->plan.ok()) return submitted->done(submitted->plan.status());
  if (const absl::Status room = runs_.CheckRoom(); !room.ok()) {
    Discard(*submitted);
    return submitted->done(room);
  }
  ++submitted->placings;
  plans_->Post([this, submitted, input = runs_.Input()] {
    submitted->spec = run::PrepareRun(*std::move(submitted->plan), input);
    decisions_.Post([this, submitted] { MakeRun(submitted); });
  });
}

void CoordinatorOperations::MakeRun(const std::shared_ptr<Submitted>& submitted) {
  const v1::SubmitRequest& request = submitted->request;
  // Another call with the key may have been quicker while this one's plan was placed.
  if (runs_.Repeat(request.idempotency_key(), submitted->Answer(true))) return Discard(*submitted);
  if (!submitted->spec.ok()) return submitted->done(submitted->spec.status());
  if (const absl::Status hosts = runs_.CheckHosts(*submitted->spec); !hosts.ok()) {
    if (submitted->placings < kMostPlacings) {
      submitted->plan = std::move(*submitted->spec->head.mutable_plan());
      return PlaceRun(submitted);
    }
    Discard(*submitted);
    return submitted->done(hosts);
  }
  // Submit would free it on this thread.
  if (const absl::Status room = runs_.CheckRoom(); !room.ok()) {
    Discard(*submitted);
    return submitted->done(room);
  }
  run::Submission submission;
  submission.user = request.user();
  submission.labels = {request.labels().begin(), request.labels().end()};
  submission.key = request.idempotency_key();
  if (request.has_max_wait_ns()) submission.max_wait_ns = request.max_wait_ns();
  const absl::StatusOr<std::string> id =
      runs_.Submit(std::move(submission), *std::move(submitted->spec), submitted->Answer(false));
  if (!id.ok()) submitted->done(id.status());
}

void CoordinatorOperations::Discard(Submitted& submitted) {
  if (!submitted.spec.ok()) return;
  plans_->Post([spec = std::make_shared<run::RunSpec>(*std::move(submitted.spec))] {});
}

void CoordinatorOperations::Cancel(const v1::CancelRequest& request, Done<v1::CancelResponse> done) {
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  decisions_.Post([this, id = request.run_id(), done = std::move(done)] {
    const absl::Status cancelled = runs_.Cancel(id);
    if (!absl::IsNotFound(cancelled) || stored_ == nullptr) return Tell(done, cancelled);
    // One that ended long ago stays as it is too.
    stored_->Describe(
        id, [done](const absl::StatusOr<store::KeptRun>& kept) { return Tell(done, kept.status()); });
  });
}

void CoordinatorOperations::GetRun(const v1::GetRunRequest& request, Done<v1::RunInfo> done) {
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  decisions_.Post([this, id = request.run_id(), done = std::move(done)] {
    absl::StatusOr<v1::RunInfo> here = runs_.Describe(id);
    if (stored_ == nullptr) return done(std::move(here));
    stored_->Describe(id, [here = std::move(here), done](const absl::StatusOr<store::KeptRun>& kept) mutable {
      if (!here.ok()) {
        if (!kept.ok()) return done(kept.status());
        return done(InfoOf(*kept));
      }
      // What it takes in the store is known there only.
      if (kept.ok()) here->mutable_summary()->set_stored_bytes(kept->summary.stored_bytes());
      done(std::move(here));
    });
  });
}

void CoordinatorOperations::GetResult(const v1::GetResultRequest& request, Done<SharedResult> done) {
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  decisions_.Post([this, request, done = std::move(done)] {
    const bool without_intervals = request.without_intervals();
    absl::StatusOr<SharedResult> here = runs_.GetResult(request.run_id());
    if (!absl::IsNotFound(here.status()) || stored_ == nullptr) {
      return plans_->Post([done, without_intervals, here = std::move(here)] {
        if (!here.ok() || !without_intervals) return done(here);
        done(SharedResult(std::make_shared<v1::Result>(store::WithoutIntervals(**here))));
      });
    }
    const auto tell = [done](absl::StatusOr<v1::Result> kept) {
      if (!kept.ok()) return done(kept.status());
      done(SharedResult(std::make_shared<v1::Result>(*std::move(kept))));
    };
    if (without_intervals) return stored_->GetWithoutIntervals(request.run_id(), tell);
    stored_->Get(request.run_id(), tell);
  });
}

void CoordinatorOperations::ListRuns(const v1::ListRunsRequest& request, Done<v1::ListRunsResponse> done) {
  if (stored_ == nullptr) return done(absl::FailedPreconditionError(kNoStore));
  stored_->List(request, std::move(done));
}

void CoordinatorOperations::ListEvents(const v1::ListEventsRequest& request,
                                       Done<v1::ListEventsResponse> done) {
  if (stored_ == nullptr) return done(absl::FailedPreconditionError(kNoStore));
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  stored_->ListEvents(request.run_id(), std::move(done));
}

void CoordinatorOperations::DeleteRun(const v1::DeleteRunRequest& request, Done<v1::DeleteRunResponse> done) {
  if (stored_ == nullptr) return done(absl::FailedPreconditionError(kNoStore));
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  const std::string& id = request.run_id();
  stored_->Delete(id, [this, decisions = decisions_, id, done = std::move(done)](const absl::Status& status) {
    if (!status.ok()) return done(status);
    // The last runs are in memory too, from where they would still be told.
    decisions.Post([this, id, done] {
      runs_.Forget(id);
      done(v1::DeleteRunResponse());
    });
  });
}

void CoordinatorOperations::WhyNot(const v1::WhyNotRequest& request, Done<v1::WhyNotResponse> done) {
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return done(status);
  decisions_.Post([this, id = request.run_id(), done = std::move(done)] {
    absl::StatusOr<v1::WhyNotResponse> why = runs_.WhyNot(id);
    if (!absl::IsNotFound(why.status()) || stored_ == nullptr) return done(std::move(why));
    stored_->Describe(id, [id, done](const absl::StatusOr<store::KeptRun>& kept) {
      if (!kept.ok()) return done(kept.status());
      v1::WhyNotResponse ended;
      ended.set_summary(id + " has ended");
      done(std::move(ended));
    });
  });
}

void CoordinatorOperations::Watch(const v1::WatchRequest& request, std::shared_ptr<run::EventWatcher> watcher,
                                  std::function<void(const absl::Status&)> refused) {
  if (const absl::Status status = CheckName("run", request.run_id()); !status.ok()) return refused(status);
  decisions_.Post([this, request, watcher = std::move(watcher), refused = std::move(refused)] {
    const absl::Status status = runs_.Watch(request.run_id(), watcher, request.after_sequence());
    if (status.ok()) return;
    if (!absl::IsNotFound(status) || stored_ == nullptr) return refused(status);
    stored_->Get(request.run_id(),
                 [after = request.after_sequence(), watcher, refused](absl::StatusOr<v1::Result> result) {
                   if (!result.ok()) return refused(result.status());
                   if (result->status() == v1::RUN_STATUS_RUNNING) {
                     return refused(absl::UnavailableError(
                         "the end of run \"" + result->run_id() +
                         "\" could not be written; it is closed when the coordinator starts the next time"));
                   }
                   // Here, on the store's thread: a watcher may serialize all of it within the call.
                   if (const run::SharedEvent end = EndOf(*std::move(result)); end->sequence() > after) {
                     watcher->OnEvent(end);
                   }
                   watcher->OnEnd();
                 });
  });
}

void CoordinatorOperations::Unwatch(const std::string& run_id, std::shared_ptr<run::EventWatcher> watcher) {
  decisions_.Post([this, run_id, watcher = std::move(watcher)] { runs_.Unwatch(run_id, watcher.get()); });
}

// --- Plans --------------------------------------------------------------------------------------

void CoordinatorOperations::ValidatePlan(const v1::ValidatePlanRequest& request,
                                         Done<v1::ValidatePlanResponse> done) {
  if (const absl::Status status = CheckPlanText(request.plan(), request.source_name(), request.overrides());
      !status.ok()) {
    return done(status);
  }
  plans_->Post([request, done = std::move(done)] {
    plan::LoadedPlan loaded = plan::LoadPlan(request.plan(), request.source_name(), OverridesOf(request));
    v1::ValidatePlanResponse response;
    response.set_valid(loaded.errors.empty());
    for (const plan::PlanError& error : loaded.errors) {
      response.add_errors(plan::Format(request.source_name(), error));
    }
    if (response.valid()) {
      response.set_expected_duration_ns(plan::ExpectedDurationNs(loaded.plan));
      *response.mutable_plan() = std::move(loaded.plan);
    }
    done(std::move(response));
  });
}

void CoordinatorOperations::DryRun(const v1::DryRunRequest& request, Done<v1::DryRunResponse> done) {
  if (const absl::Status status = CheckPlanText(request.plan(), request.source_name(), request.overrides());
      !status.ok()) {
    return done(status);
  }
  plans_->Post([this, request, done = std::move(done)] {
    absl::StatusOr<v1::Plan> loaded = LoadPlanOf(request);
    if (!loaded.ok()) return done(loaded.status());
    decisions_.Post([this, plan = *std::move(loaded), done]() mutable {
      plans_->Post([plan = std::move(plan), input = runs_.Input(), done]() mutable {
        done(run::PrepareDryRun(std::move(plan), input));
      });
    });
  });
}

// --- Workers ------------------------------------------------------------------------------------

void CoordinatorOperations::ListWorkers(const v1::ListWorkersRequest& request,
                                        Done<v1::ListWorkersResponse> done) {
  decisions_.Post([this, with_facts = !request.without_facts(), done = std::move(done)] {
    v1::ListWorkersResponse response;
    for (v1::WorkerInfo& worker : fleet_.Snapshot(with_facts)) *response.add_workers() = std::move(worker);
    done(std::move(response));
  });
}

void CoordinatorOperations::GetWorker(const v1::GetWorkerRequest& request, Done<v1::WorkerInfo> done) {
  if (const absl::Status status = CheckName("worker", request.name()); !status.ok()) return done(status);
  decisions_.Post([this, name = request.name(), done = std::move(done)] {
    std::optional<v1::WorkerInfo> worker = fleet_.Describe(name, true);
    if (!worker.has_value()) return done(absl::NotFoundError("no worker \"" + name + "\""));
    done(*std::move(worker));
  });
}

void CoordinatorOperations::DrainWorker(const v1::DrainWorkerRequest& request,
                                        Done<v1::DrainWorkerResponse> done) {
  if (const absl::Status status = CheckName("worker", request.name()); !status.ok()) return done(status);
  decisions_.Post([this, request, done = std::move(done)] {
    fleet_.Drain(request, [done](const absl::Status& status) { Tell(done, status); });
  });
}

void CoordinatorOperations::UndrainWorker(const v1::UndrainWorkerRequest& request,
                                          Done<v1::UndrainWorkerResponse> done) {
  if (const absl::Status status = CheckName("worker", request.name()); !status.ok()) return done(status);
  decisions_.Post([this, name = request.name(), done = std::move(done)] {
    fleet_.Undrain(name, [done](const absl::Status& status) { Tell(done, status); });
  });
}

void CoordinatorOperations::ForgetWorker(const v1::ForgetWorkerRequest& request,
                                         Done<v1::ForgetWorkerResponse> done) {
  if (const absl::Status status = CheckName("worker", request.name()); !status.ok()) return done(status);
  decisions_.Post([this, name = request.name(), done = std::move(done)] { Tell(done, fleet_.Forget(name)); });
}

void CoordinatorOperations::WatchFleet(const v1::WatchFleetRequest& request,
                                       std::shared_ptr<fleet::FleetWatcher> watcher) {
  decisions_.Post([this, after = request.after_sequence(), watcher = std::move(watcher)] {
    fleet_.Watch(after, watcher);
  });
}

void CoordinatorOperations::UnwatchFleet(std::shared_ptr<fleet::FleetWatcher> watcher) {
  decisions_.Post([this, watcher = std::move(watcher)] { fleet_.Unwatch(watcher.get()); });
}

}  // namespace tutti::api
