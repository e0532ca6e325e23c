// Workers that people take out of service: drain, undrain, forget.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/suggestion/suggestion.h"
#include "common/time/clock.h"
#include "coordinator/fleet/fleet.h"

namespace tutti::fleet {

using tutti::v1::WorkerInfo;

absl::Status Fleet::UnknownWorker(const std::string& name) const {
  std::vector<std::string> known;
  for (const auto& [each, worker] : workers_) known.push_back(each);
  return absl::NotFoundError(absl::StrCat("no worker \"", name, "\"", DidYouMean(name, known)));
}

void Fleet::Drain(const tutti::v1::DrainWorkerRequest& request,
                  std::function<void(const absl::Status&)> done) {
  if (const absl::Status status = CheckDrain(request); !status.ok()) return done(status);
  const std::string& name = request.name();
  if (!workers_.contains(name)) return done(UnknownWorker(name));
  const WorkerInfo::State before = ShownState(name);
  tutti::v1::DrainMark mark;
  mark.set_reason(request.reason());
  mark.set_user(request.user());
  mark.set_since_unix_ns(UnixNowNs());
  if (drains_.Put(name, std::move(mark))) {
    const std::string text = DrainText(*drains_.Find(name));
    spdlog::info("worker {} is {}", name, text);
    Tell(name, before, text);
  }
  drains_.Keep(name, std::move(done));
}

void Fleet::Undrain(const std::string& worker, std::function<void(const absl::Status&)> done) {
  if (!workers_.contains(worker)) return done(UnknownWorker(worker));
  const WorkerInfo::State before = ShownState(worker);
  if (drains_.Remove(worker)) {
    spdlog::info("worker {} is no longer drained", worker);
    Tell(worker, before, "no longer drained");
  }
  drains_.Keep(worker, std::move(done));
}

absl::Status Fleet::Forget(const std::string& worker) {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return UnknownWorker(worker);
  if (found->second.link != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("the session of worker \"", worker, "\" is open (", found->second.link->peer(),
                     "), and only a worker that is lost can be forgotten; stop it first, or drain it"));
  }
  if (found->second.listener != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(found->second.run_id, " still holds it; await that run's end, or cancel it"));
  }
  // The caller's text may be of what Erase frees.
  const std::string name = worker;  // NOLINT(performance-unnecessary-copy-initialization)
  Erase(name, "forgotten");
  spdlog::info("worker {} is forgotten", name);
  if (!drains_.Remove(name)) return absl::OkStatus();
  drains_.Keep(name, [name](const absl::Status& status) {
    if (!status.ok()) spdlog::error("forget worker {}: {}", name, std::string(status.message()));
  });
  return absl::OkStatus();
}

}  // namespace tutti::fleet
