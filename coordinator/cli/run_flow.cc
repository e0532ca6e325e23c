#include "coordinator/cli/run_flow.h"

#include <unistd.h>

#include <csignal>
#include <optional>
#include <ostream>
#include <stop_token>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "common/sync/thread_annotations.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/event_lines.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/live_view.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/cli/user_name.h"
#include "coordinator/report/document.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// A cancel that may be asked for before the run has an id. Thread-safe.
class Canceller {
 public:
  explicit Canceller(CoordinatorClient& client) : client_(client) {}

  void Ask() {
    static constexpr char kMessage[] = "\ncancelling; once more to quit at once, without the result\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof(kMessage) - 1);
    std::string run_id;
    {
      MutexLock lock(mutex_);
      asked_ = true;
      run_id = run_id_;
    }
    if (!run_id.empty()) Cancel(run_id);
  }

  void Submitted(const std::string& run_id) {
    bool asked = false;
    {
      MutexLock lock(mutex_);
      run_id_ = run_id;
      asked = asked_;
    }
    if (asked) Cancel(run_id);
  }

 private:
  // That the run has ended is told by the watch.
  void Cancel(const std::string& run_id) {
    const absl::Status status = client_.Cancel(run_id);
    if (status.ok()) return;
    const std::string message = absl::StrCat("tutti: the run was not cancelled: ", Readable(status), "\n");
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
  }

  CoordinatorClient& client_;
  Mutex mutex_;
  bool asked_ TUTTI_GUARDED_BY(mutex_) = false;
  std::string run_id_ TUTTI_GUARDED_BY(mutex_);
};

// Follows the run's events and keeps the result.
class Follower {
 public:
  Follower(const RunOptions& options, std::ostream& live, EventLines& lines)
      : view_(live, options.quiet), lines_(lines) {}

  void OnEvent(const tutti::v1::RunEvent& event) {
    lines_.OnEvent(event);
    if (event.has_ended()) result_ = event.ended();
    view_.OnEvent(event);
  }

  const std::optional<tutti::v1::Result>& result() const { return result_; }

 private:
  LiveView view_;
  EventLines& lines_;
  std::optional<tutti::v1::Result> result_;
};

int Fail(const absl::Status& status, std::ostream& errors) {
  errors << "tutti: " << Readable(status) << "\n";
  return ExitCodeOfCall(status);
}

// Prints and leaves the result. A file that could not be written makes a passed run an internal error: a
// script that asked for it must not go on without it.
int Deliver(const tutti::v1::Result& result, const RunOptions& options, const Screens& screens,
            const EventLines& lines) {
  int exit_code = result.exit_code();
  const auto complain = [&](const char* about, const absl::Status& status) {
    screens.live << "tutti: " << about << Readable(status) << "\n";
    if (exit_code == kPassed) exit_code = kInternal;
  };
  const absl::Status printed =
      options.format == kEventsFormat ? lines.out_status() : PrintResult(result, options, screens.out);
  if (!printed.ok()) complain("", printed);
  const absl::StatusOr<std::string> left = LeaveResult(result);
  if (left.ok()) {
    screens.live << "result: " << *left << "  (tutti show " << result.run_id() << ")\n";
  } else {
    screens.live << "tutti: the result was not left: " << Readable(left.status()) << "\n";
    if (options.json_path.empty() && exit_code == kPassed) exit_code = kInternal;
  }
  if (!options.json_path.empty()) {
    const absl::Status written = WriteWhole(options.json_path, report::RenderJson(result));
    if (written.ok()) {
      screens.live << "result: " << Printable(options.json_path) << "\n";
    } else {
      complain("--json: ", written);
    }
  }
  if (!lines.file_status().ok()) complain("--jsonl: ", lines.file_status());
  return exit_code;
}

// The exporter of the report; nullptr where the events take its place.
absl::StatusOr<const report::Exporter*> ReportExporter(const RunOptions& options) {
  if (options.format == kEventsFormat) return nullptr;
  return report::FindExporter(options.format);
}

tutti::v1::SubmitRequest RequestOf(const PlanText& plan, const RunOptions& options) {
  tutti::v1::SubmitRequest request;
  request.set_plan(plan.text);
  request.set_source_name(plan.source_name);
  for (const std::string& override_text : options.overrides) request.add_overrides(override_text);
  request.set_user(UserName());
  request.mutable_labels()->insert(options.labels.begin(), options.labels.end());
  request.set_idempotency_key(options.idempotency_key);
  if (options.max_wait_ns) request.set_max_wait_ns(*options.max_wait_ns);
  return request;
}

void SayIfRepeated(const tutti::v1::SubmitResponse& submitted, const Screens& screens) {
  if (!submitted.repeated_key()) return;
  screens.live << Printable(submitted.run_id())
               << " was submitted earlier with this idempotency key; nothing new was submitted\n";
}

// False, with the complaint printed: the file that --jsonl names cannot be opened.
bool OpenLines(const RunOptions& options, const Screens& screens, EventLines& lines) {
  if (options.jsonl_path.empty()) return true;
  const absl::Status opened = lines.OpenFile(options.jsonl_path);
  if (!opened.ok()) screens.live << "tutti: --jsonl: " << Readable(opened) << "\n";
  return opened.ok();
}

// Follows the run from its beginning to its end and delivers its result. `stop`: the user has seen enough.
int FollowToEnd(CoordinatorClient& client, const std::string& run_id, const RunOptions& options,
                const Screens& screens, EventLines& lines, const std::stop_token& stop) {
  lines.OnAccepted(run_id);
  Follower follower(options, screens.live, lines);
  const absl::Status watched = WatchRun(
      client, run_id, [&follower](const tutti::v1::RunEvent& event) { follower.OnEvent(event); },
      options.patience, screens.live, stop);
  if (follower.result()) return Deliver(*follower.result(), options, screens, lines);
  if (stop.stop_requested()) {
    screens.live << "\ndetached, the run goes on: `tutti attach " << run_id
                 << "` follows it again, `tutti cancel " << run_id << "` ends it\n";
    return kCancelled;
  }
  screens.live << "tutti: run " << run_id << " has no result that this program could get\n";
  return Fail(watched, screens.live);
}

}  // namespace

absl::Status CheckRunOptions(const RunOptions& options) {
  if (options.detach) {
    const bool known = options.format == "table" || options.format == "json" || options.format == "yaml";
    if (known) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--detach prints no report: --output is table, json or yaml, not ", options.format));
  }
  TUTTI_RETURN_IF_ERROR(ReportExporter(options).status());
  if (!options.json_path.empty()) TUTTI_RETURN_IF_ERROR(CheckWritable(options.json_path, "--json"));
  if (options.jsonl_path == "-") {
    return absl::InvalidArgumentError(
        "--jsonl -: standard output has the report; --format jsonl writes the events there in its place");
  }
  if (!options.jsonl_path.empty()) TUTTI_RETURN_IF_ERROR(CheckWritable(options.jsonl_path, "--jsonl"));
  return absl::OkStatus();
}

int RunPlan(CoordinatorClient& client, const PlanText& plan, const RunOptions& options,
            const Screens& screens) {
  signal(SIGPIPE, SIG_IGN);  // `tutti run | head` still leaves its result
  EventLines lines(options.format == kEventsFormat ? &screens.out : nullptr);
  if (!OpenLines(options, screens, lines)) return kUsage;
  Canceller canceller(client);
  InterruptWatch interrupts([&canceller] { canceller.Ask(); });
  const absl::StatusOr<tutti::v1::SubmitResponse> submitted = client.Submit(RequestOf(plan, options));
  if (!submitted.ok()) return Fail(submitted.status(), screens.live);
  canceller.Submitted(submitted->run_id());
  SayIfRepeated(*submitted, screens);
  return FollowToEnd(client, submitted->run_id(), options, screens, lines, std::stop_token());
}

int AttachToRun(CoordinatorClient& client, const std::string& run_id, const RunOptions& options,
                const Screens& screens) {
  signal(SIGPIPE, SIG_IGN);
  // A coordinator that is out of reach now, or a run that nobody knows, is not waited for.
  const absl::Status known = client.GetRun(run_id).status();
  if (!known.ok()) {
    Fail(known, screens.live);
    return ExitCodeOfResult(known);
  }
  EventLines lines(options.format == kEventsFormat ? &screens.out : nullptr);
  if (!OpenLines(options, screens, lines)) return kUsage;
  std::stop_source detach;
  InterruptWatch interrupts([&detach] { detach.request_stop(); });
  return FollowToEnd(client, run_id, options, screens, lines, detach.get_token());
}

int SubmitAndLeave(CoordinatorClient& client, const PlanText& plan, const RunOptions& options,
                   const Screens& screens) {
  const absl::StatusOr<tutti::v1::SubmitResponse> submitted = client.Submit(RequestOf(plan, options));
  if (!submitted.ok()) return Fail(submitted.status(), screens.live);
  SayIfRepeated(*submitted, screens);
  if (options.format == "table") {
    screens.out << Printable(submitted->run_id()) << "\n";
  } else {
    screens.out << RenderDocument(report::MessageDocument(*submitted),
                                  options.format == "yaml" ? Output::kYaml : Output::kJson);
  }
  return kPassed;
}

bool ShowsIntervals(const RunOptions& options) {
  const absl::StatusOr<const report::Exporter*> exporter = ReportExporter(options);
  if (!exporter.ok() || *exporter == nullptr || !(*exporter)->without_intervals) return true;
  return !(*exporter)->document && (options.detail || options.timeline);
}

absl::Status PrintResult(const tutti::v1::Result& result, const RunOptions& options, std::ostream& out) {
  TUTTI_ASSIGN_OR_RETURN(const report::Exporter* exporter, ReportExporter(options));
  if (exporter == nullptr) {
    return absl::InvalidArgumentError(kNoEvents);
  }
  const report::Style style{.color = options.color};
  if (exporter->document) {
    // Programs read it, and it has everything anyway: nothing may stand behind it, whatever is configured.
    out << exporter->render(result, style);
  } else {
    tutti::v1::Result shown = result;
    MakePrintable(shown);
    out << exporter->render(shown, style);
    if (options.detail) out << "\n" << report::RenderDetail(shown, style);
    if (options.timeline) out << "\n" << report::RenderTimeline(shown, style);
  }
  out << std::flush;
  return out ? absl::OkStatus() : absl::DataLossError("the report could not be written to standard output");
}

}  // namespace tutti::cli
