#include "coordinator/cli/run_flow.h"

#include <pwd.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "common/sync/thread_annotations.h"
#include "common/units/units.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/event_lines.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/printable_message.h"
#include "coordinator/cli/result_files.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// "alice@lab7", shown to those who wait for the same hosts.
std::string UserName() {
  const passwd* user = getpwuid(getuid());
  const char* from_environment = getenv("SUDO_USER");
  std::string name = from_environment != nullptr ? from_environment : "";
  if (name.empty()) name = user != nullptr ? user->pw_name : absl::StrCat("uid ", getuid());
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) return name;
  return absl::StrCat(name, "@", host);
}

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
    // The run ends with a result or the watch with an error; either way the watch tells.
    if (!run_id.empty()) client_.Cancel(run_id).IgnoreError();
  }

  void Submitted(const std::string& run_id) {
    bool asked = false;
    {
      MutexLock lock(mutex_);
      run_id_ = run_id;
      asked = asked_;
    }
    if (asked) client_.Cancel(run_id).IgnoreError();
  }

 private:
  CoordinatorClient& client_;
  Mutex mutex_;
  bool asked_ TUTTI_GUARDED_BY(mutex_) = false;
  std::string run_id_ TUTTI_GUARDED_BY(mutex_);
};

// "run-7: 8 cases on host1, host2, about 1m52s"
std::string Announcement(const tutti::v1::Result& head) {
  const int cases = head.plan().cases_size();
  return absl::StrCat(
      head.run_id(), ": ", cases, cases == 1 ? " case" : " cases", " on ",
      absl::StrJoin(head.hosts(), ", ",
                    [](std::string* out, const tutti::v1::Host& host) { out->append(host.name()); }),
      ", about ", FormatDuration(head.expected_duration_ns()), "\n");
}

// Follows the run's events; keeps the head and, at the end, the result.
class Follower {
 public:
  Follower(const RunOptions& options, std::ostream& live, EventLines& lines)
      : options_(options), live_(live), lines_(lines) {}

  void OnEvent(const tutti::v1::RunEvent& told) {
    lines_.OnEvent(told);
    if (told.has_ended()) result_ = told.ended();
    tutti::v1::RunEvent event = told;
    MakePrintable(event);
    if (event.has_started()) {
      head_ = event.started().head();
      if (!options_.quiet) live_ << Announcement(head_);
    }
    // What the run waits for is told even to the quiet: without it the program seems to hang.
    if (options_.quiet && !event.has_queued()) return;
    live_ << report::RenderLiveEvent(event, head_, report::Style{.color = false}) << std::flush;
  }

  const std::optional<tutti::v1::Result>& result() const { return result_; }

 private:
  const RunOptions& options_;
  std::ostream& live_;
  EventLines& lines_;
  tutti::v1::Result head_;
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

// The end of a run whose watch was lost, as an event.
tutti::v1::RunEvent EndedEvent(const tutti::v1::Result& result) {
  tutti::v1::RunEvent event;
  event.set_run_id(result.run_id());
  event.set_at_unix_ns(result.finished_unix_ns());
  *event.mutable_ended() = result;
  return event;
}

}  // namespace

absl::Status CheckRunOptions(const RunOptions& options) {
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
  tutti::v1::SubmitRequest request;
  request.set_plan(plan.text);
  request.set_source_name(plan.source_name);
  for (const std::string& override_text : options.overrides) request.add_overrides(override_text);
  request.set_user(UserName());
  request.mutable_labels()->insert(options.labels.begin(), options.labels.end());

  signal(SIGPIPE, SIG_IGN);  // `tutti run | head` still leaves its result
  EventLines lines(options.format == kEventsFormat ? &screens.out : nullptr);
  if (!options.jsonl_path.empty()) {
    const absl::Status opened = lines.OpenFile(options.jsonl_path);
    if (!opened.ok()) {
      screens.live << "tutti: --jsonl: " << Readable(opened) << "\n";
      return kUsage;
    }
  }
  Canceller canceller(client);
  InterruptWatch interrupts([&canceller] { canceller.Ask(); });
  const absl::StatusOr<std::string> run_id = client.Submit(request);
  if (!run_id.ok()) return Fail(run_id.status(), screens.live);
  canceller.Submitted(*run_id);
  lines.OnAccepted(*run_id);

  Follower follower(options, screens.live, lines);
  const absl::Status watched =
      client.Watch(*run_id, [&follower](const tutti::v1::RunEvent& event) { follower.OnEvent(event); });
  if (follower.result()) return Deliver(*follower.result(), options, screens, lines);

  const absl::StatusOr<tutti::v1::Result> result = client.GetResult(*run_id);
  if (result.ok() && result->status() != tutti::v1::RUN_STATUS_RUNNING) {
    lines.OnEvent(EndedEvent(*result));
    return Deliver(*result, options, screens, lines);
  }
  screens.live << "tutti: run " << *run_id << " has no result that this program could get\n";
  if (!watched.ok()) return Fail(watched, screens.live);
  return result.ok() ? kInternal : Fail(result.status(), screens.live);
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
