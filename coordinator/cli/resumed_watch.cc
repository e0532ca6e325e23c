#include "coordinator/cli/resumed_watch.h"

#include <chrono>
#include <optional>
#include <ostream>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/units/units.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {
namespace {

constexpr int64_t kPauseNs = 500'000'000;
constexpr std::chrono::milliseconds kNap{50};
// To connect takes 5 s at most for each address (common/net/channels.cc), another call 10 s: an attempt that
// broke later than this had a coordinator, though it may have had nothing to tell.
constexpr int64_t kConnectedNs = 20'000'000'000;

// Called with the sequence number of each event; patience begins anew.
using Seen = std::function<void(uint64_t sequence)>;
// One watch, behind the event with the number `after`.
using Attempt = std::function<absl::Status(uint64_t after, const Seen& seen)>;

// A coordinator that is being shut down cancels the watches that it has.
bool IsBroken(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) || absl::IsCancelled(status);
}

absl::Status GivenUp(const absl::Status& last, int64_t most_ns) {
  if (most_ns == 0) return absl::UnavailableError(last.message());
  return absl::UnavailableError(
      absl::StrCat(last.message(), "; given up after ", FormatDuration(most_ns), " without a connection"));
}

absl::Status WatchThroughBreaks(const Attempt& attempt, const Patience& patience, std::ostream& said,
                                const std::stop_token& stop) {
  uint64_t after = 0;
  std::optional<HostTime> broken_since;
  const Seen seen = [&after, &broken_since](uint64_t sequence) {
    after = sequence;  // which may be lower than the one before: a coordinator that was started anew
    broken_since.reset();
  };
  while (!stop.stop_requested()) {
    const HostTime begun = patience.clock->Now();
    absl::Status status = attempt(after, seen);
    if (!IsBroken(status)) return status;
    if (stop.stop_requested()) break;
    const HostTime now = patience.clock->Now();
    if (now - begun >= kConnectedNs) {
      broken_since.reset();
      if (absl::IsDeadlineExceeded(status)) continue;  // nothing is broken: a watch lasts only so long
    }
    if (!broken_since) {
      broken_since = now;
      if (patience.most_ns > 0) {
        said << "tutti: the connection to the coordinator broke; trying again for "
             << FormatDuration(patience.most_ns) << "\n"
             << std::flush;
      }
    }
    // An attempt may take seconds: the last one is begun when the time is over, not ended.
    if (patience.most_ns == 0 || begun - *broken_since >= patience.most_ns) {
      return GivenUp(status, patience.most_ns);
    }
    patience.pause(kPauseNs, stop);
  }
  return absl::CancelledError("the watch was stopped");
}

// The end of a run whose watch was lost.
tutti::v1::RunEvent EndedEvent(const tutti::v1::Result& result) {
  tutti::v1::RunEvent event;
  event.set_run_id(result.run_id());
  event.set_at_unix_ns(result.finished_unix_ns());
  *event.mutable_ended() = result;
  return event;
}

}  // namespace

void PauseFor(int64_t ns, const std::stop_token& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kNap);
}

absl::Status WatchRun(CoordinatorClient& client, const std::string& run_id,
                      const CoordinatorClient::OnRunEvent& on_event, const Patience& patience,
                      std::ostream& said, const std::stop_token& stop) {
  bool any = false;
  bool ended = false;
  const auto attempt = [&](uint64_t after, const Seen& seen) -> absl::Status {
    tutti::v1::WatchRequest request;
    request.set_run_id(run_id);
    request.set_after_sequence(after);
    const absl::Status status = client.Watch(
        request,
        [&](const tutti::v1::RunEvent& event) {
          any = true;
          ended = ended || event.has_ended();
          seen(event.sequence());
          on_event(event);
        },
        stop);
    // A connection that breaks behind the last event has lost nothing.
    return ended ? absl::OkStatus() : status;
  };
  absl::Status watched = WatchThroughBreaks(attempt, patience, said, stop);
  if (ended || stop.stop_requested()) return watched;
  tutti::v1::GetResultRequest request;
  request.set_run_id(run_id);
  const absl::StatusOr<tutti::v1::Result> result = client.GetResult(request);
  if (result.ok() && result->status() != tutti::v1::RUN_STATUS_RUNNING) {
    on_event(EndedEvent(*result));
    return absl::OkStatus();
  }
  if (any && absl::IsNotFound(watched)) {
    return absl::UnavailableError(
        absl::StrCat(watched.message(), "; the coordinator was started anew and has not kept the run"));
  }
  if (!watched.ok()) return watched;
  if (!result.ok()) return result.status();
  return absl::InternalError(
      absl::StrCat("the coordinator ended the watch of run ", run_id, " before the run"));
}

absl::Status WatchFleet(CoordinatorClient& client, const CoordinatorClient::OnFleetEvent& on_event,
                        const Patience& patience, std::ostream& said, const std::stop_token& stop) {
  bool lost = false;
  const auto attempt = [&](uint64_t after, const Seen& seen) -> absl::Status {
    if (lost && after == 0) {
      // Without a number to go on from, nothing would tell that the watch has a gap.
      tutti::v1::ListWorkersRequest alive;
      alive.set_without_facts(true);
      TUTTI_RETURN_IF_ERROR(client.ListWorkers(alive).status());
      said << "tutti: the connection to the coordinator is back; what changed meanwhile is not told: `tutti "
              "workers` shows how things stand\n"
           << std::flush;
      seen(after);
    }
    tutti::v1::WatchFleetRequest request;
    request.set_after_sequence(after);
    absl::Status status = client.WatchFleet(
        request,
        [&](const tutti::v1::FleetEvent& event) {
          seen(event.sequence());
          on_event(event);
        },
        stop);
    lost = IsBroken(status) && !absl::IsDeadlineExceeded(status);
    return status;
  };
  return WatchThroughBreaks(attempt, patience, said, stop);
}

}  // namespace tutti::cli
