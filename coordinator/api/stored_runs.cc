#include "coordinator/api/stored_runs.h"

#include <future>
#include <utility>
#include <vector>

#include "common/log/log.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/sync/control_priority.h"
#include "common/time/clock.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/run/interrupted_run.h"

namespace tutti::api {
namespace {

void Await(Executor& executor) {
  std::promise<void> reached;
  executor.Post([&reached] { reached.set_value(); });
  reached.get_future().wait();
}

absl::Status CloseInterruptedRuns(store::RunStore& store) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<std::string> ids, store.Unfinished());
  for (const std::string& id : ids) {
    absl::StatusOr<tutti::v1::Result> result = store.Get(id);
    // One damaged run must not keep the coordinator from starting. NotFound: its id is what is damaged.
    if (absl::IsDataLoss(result.status()) || absl::IsNotFound(result.status())) {
      spdlog::error("{}", std::string(result.status().message()));
      continue;
    }
    if (!result.ok()) return result.status();
    absl::StatusOr<std::vector<tutti::v1::RunEvent>> events = store.Events(id);
    if (absl::IsDataLoss(events.status())) {
      spdlog::error("{}", std::string(events.status().message()));
      events = std::vector<tutti::v1::RunEvent>();  // the trials tell most of it too
    }
    if (!events.ok()) return events.status();
    // A head is kept without reasons: these are what of the run is damaged.
    for (const std::string& reason : result->reasons()) spdlog::error("{}: {}", id, reason);
    run::CloseInterrupted(*result, *events, UnixNowNs());
    absl::Status closed = Annotate(store.Finish(*result), "close the interrupted run " + id);
    if (absl::IsDataLoss(closed) || absl::IsNotFound(closed)) {
      spdlog::error("{}", std::string(closed.message()));
      continue;
    }
    if (!closed.ok()) return closed;
    tutti::v1::RunEvent ended;
    ended.set_run_id(id);
    ended.set_at_unix_ns(result->finished_unix_ns());
    ended.mutable_ended()->set_status(result->status());
    ended.mutable_ended()->set_exit_code(result->exit_code());
    *ended.mutable_ended()->mutable_reasons() = result->reasons();
    TUTTI_RETURN_IF_ERROR(store.PutEvents({ended}));
    spdlog::warn("{} was interrupted by the end of the coordinator and is closed: {}", id,
                 report::EnumName(result->status()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<StoredRuns>> StoredRuns::Start(Executor& decisions,
                                                              std::unique_ptr<store::RunStore> store,
                                                              const store::RetentionLimits& limits) {
  TUTTI_RETURN_IF_ERROR(CloseInterruptedRuns(*store));
  std::unique_ptr<StoredRuns> stored(new StoredRuns(decisions, std::move(store), limits));
  stored->writer_.Post([runs = stored.get()] { runs->RemoveOld(); });
  return stored;
}

StoredRuns::StoredRuns(Executor& decisions, std::unique_ptr<store::RunStore> store,
                       const store::RetentionLimits& limits)
    : decisions_(decisions), store_(std::move(store)), limits_(limits) {
  // Runs wait for what is written; what is read may be large and can wait.
  reader_.Post(&LeaveControlPriority);
}

StoredRuns::~StoredRuns() {
  Await(writer_);
  Await(reader_);
}

void StoredRuns::TellKept(Kept kept, const absl::Status& status) {
  decisions_.Post([kept = std::move(kept), status] { kept(status); });
}

void StoredRuns::Begin(const tutti::v1::Result& head, const run::RunLabels& labels, const std::string& key,
                       Kept kept) {
  CloseEvents();
  writer_.Post([this, head, labels, key, kept = std::move(kept)] {
    TellKept(kept, store_->Begin(head, labels, key));
  });
}

void StoredRuns::PutTrial(const std::string& run_id, uint32_t case_position, uint32_t trial_position,
                          const tutti::v1::TrialResult& trial, Kept kept) {
  CloseEvents();
  writer_.Post([this, run_id, case_position, trial_position, trial, kept = std::move(kept)] {
    TellKept(kept, store_->PutTrial(run_id, case_position, trial_position, trial));
  });
}

void StoredRuns::PutEvents(const std::string& run_id, std::vector<tutti::v1::RunEvent> events) {
  MutexLock lock(events_mutex_);
  if (open_events_ == nullptr) {
    open_events_ = std::make_shared<std::vector<tutti::v1::RunEvent>>();
    writer_.Post([this, events = open_events_] { WriteEvents(events); });
  }
  for (tutti::v1::RunEvent& event : events) {
    event.set_run_id(run_id);
    open_events_->push_back(std::move(event));
  }
}

void StoredRuns::CloseEvents() {
  MutexLock lock(events_mutex_);
  open_events_ = nullptr;
}

void StoredRuns::WriteEvents(const std::shared_ptr<const std::vector<tutti::v1::RunEvent>>& events) {
  {
    MutexLock lock(events_mutex_);
    if (open_events_ == events) open_events_ = nullptr;
  }
  const absl::Status status = store_->PutEvents(*events);
  // Of a run that could not be kept, or that is removed already, nobody will ask.
  if (status.ok() || absl::IsNotFound(status)) return;
  spdlog::error("{} events, the first of {}, are not kept: {}", events->size(), events->front().run_id(),
                std::string(status.message()));
}

void StoredRuns::Finish(std::shared_ptr<const tutti::v1::Result> result, Kept kept) {
  CloseEvents();
  writer_.Post([this, result = std::move(result), kept = std::move(kept)] {
    TellKept(kept, store_->Finish(*result));
    RemoveOld();
  });
}

void StoredRuns::RemoveOld() {
  const absl::StatusOr<int> removed = store::RemoveExpired(*store_, limits_, UnixNowNs());
  if (!removed.ok()) {
    spdlog::error("old runs cannot be removed: {}", std::string(removed.status().message()));
  } else if (*removed > 0) {
    spdlog::info("removed {} old {} (--keep-age, --keep-size)", *removed, *removed == 1 ? "run" : "runs");
  }
}

void StoredRuns::Get(const std::string& run_id, Done<tutti::v1::Result> done) {
  reader_.Post([this, run_id, done = std::move(done)] { done(store_->Get(run_id)); });
}

void StoredRuns::GetWithoutIntervals(const std::string& run_id, Done<tutti::v1::Result> done) {
  reader_.Post([this, run_id, done = std::move(done)] { done(store_->GetWithoutIntervals(run_id)); });
}

void StoredRuns::Describe(const std::string& run_id, Done<store::KeptRun> done) {
  reader_.Post([this, run_id, done = std::move(done)] { done(store_->Describe(run_id)); });
}

void StoredRuns::RunOfKey(const std::string& key, Done<std::string> done) {
  reader_.Post([this, key, done = std::move(done)] { done(store_->RunOfKey(key)); });
}

void StoredRuns::List(const tutti::v1::ListRunsRequest& request, Done<tutti::v1::ListRunsResponse> done) {
  reader_.Post([this, request, done = std::move(done)] { done(store_->List(request)); });
}

void StoredRuns::ListEvents(const std::string& run_id, Done<tutti::v1::ListEventsResponse> done) {
  reader_.Post([this, run_id, done = std::move(done)] {
    absl::StatusOr<std::vector<tutti::v1::RunEvent>> events = store_->Events(run_id);
    if (!events.ok()) return done(events.status());
    tutti::v1::ListEventsResponse response;
    for (tutti::v1::RunEvent& event : *events) *response.add_events() = std::move(event);
    done(std::move(response));
  });
}

void StoredRuns::Delete(const std::string& run_id, std::function<void(const absl::Status&)> done) {
  writer_.Post([this, run_id, done = std::move(done)] { done(store_->Delete(run_id)); });
}

}  // namespace tutti::api
