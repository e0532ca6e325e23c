#include "coordinator/cli/event_stream.h"

#include <ostream>
#include <stop_token>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/event_lines.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/find_result.h"
#include "coordinator/cli/interrupts.h"
#include "coordinator/cli/live_view.h"
#include "coordinator/cli/resumed_watch.h"
#include "coordinator/cli/run_info_table.h"
#include "coordinator/report/document.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// The line of JSON as a document of a stream; empty for an event of a newer schema.
std::string YamlOf(const tutti::v1::RunEvent& event) {
  const absl::StatusOr<report::Document> document = report::ParseDocument(report::RenderEventLine(event));
  return document.ok() ? absl::StrCat("---\n", report::DocumentYaml(*document)) : "";
}

// Whatever is asked for: to the screen, and to the file of events.
class Events {
 public:
  Events(Output output, const RunOptions& options, const Screens& screens)
      : output_(output),
        out_(screens.out),
        view_(screens.out, options.quiet),
        lines_(output == Output::kJson ? &screens.out : nullptr) {}

  absl::Status OpenFile(const std::string& path) { return lines_.OpenFile(path); }

  void OnEvent(const tutti::v1::RunEvent& event) {
    lines_.OnEvent(event);
    if (output_ == Output::kYaml) out_ << YamlOf(event) << std::flush;
    if (output_ != Output::kTable) return;
    view_.OnEvent(event);
    if (event.has_ended()) out_ << RenderRunEnd(event.ended()) << std::flush;
  }

  // What could not be written.
  absl::Status status() const {
    absl::Status status = lines_.out_status();
    status.Update(lines_.file_status());
    return status;
  }

 private:
  const Output output_;
  std::ostream& out_;
  LiveView view_;
  EventLines lines_;
};

int Fail(const absl::Status& status, const Screens& screens, ExitCode code) {
  screens.live << "tutti: " << Readable(status) << "\n";
  return code;
}

}  // namespace

int ShowEvents(CoordinatorClient& client, const std::string& run_id, Output output, const RunOptions& options,
               const Screens& screens) {
  // A coordinator that is out of reach now, or a run that nobody knows, is not waited for.
  const absl::Status known = client.GetRun(run_id).status();
  if (!known.ok()) return Fail(known, screens, ExitCodeOfResult(known));
  Events events(output, options, screens);
  if (!options.jsonl_path.empty()) {
    const absl::Status opened = events.OpenFile(options.jsonl_path);
    if (!opened.ok()) return Fail(opened, screens, kUsage);
  }
  std::stop_source stop;
  InterruptWatch interrupts([&stop] { stop.request_stop(); });
  const absl::Status watched = WatchRun(
      client, run_id, [&events](const tutti::v1::RunEvent& event) { events.OnEvent(event); },
      options.patience, screens.live, stop.get_token());
  if (!watched.ok() && stop.stop_requested()) return kCancelled;
  if (!watched.ok()) return Fail(watched, screens, ExitCodeOfResult(watched));
  if (!events.status().ok()) return Fail(events.status(), screens, kInternal);
  return kPassed;
}

}  // namespace tutti::cli
