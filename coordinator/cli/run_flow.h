// A run as its user lives it: submit or join, watch, print, leave the result, say how it ended.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/plan_file.h"
#include "coordinator/cli/resumed_watch.h"
#include "tutti/v1/result.pb.h"

namespace tutti::cli {

// Of a run that goes on: standard output has its events as they come, and no report.
inline constexpr char kEventsFormat[] = "jsonl";
inline constexpr char kNoEvents[] =
    "--format jsonl has the events of a run while it goes on (tutti run, tutti lab run); --format json has "
    "the "
    "whole result";

struct RunOptions {
  std::vector<std::string> overrides;  // --set, in order
  std::map<std::string, std::string> labels;
  std::string json_path;         // empty: only under the state folder
  std::string jsonl_path;        // the events as they come; empty: no file of them
  std::string format = "table";  // of an exporter, or kEventsFormat
  bool detail = false;
  bool timeline = false;
  bool quiet = false;                  // no live lines
  bool color = false;                  // standard output takes colours
  bool detach = false;                 // submit and do not wait
  std::string idempotency_key;         // empty: none
  std::optional<int64_t> max_wait_ns;  // for hosts; unset: as long as the coordinator lets it
  Patience patience;
};

struct Screens {
  std::ostream& out;   // the report
  std::ostream& live;  // everything else
};

// Usage errors that are better told before anything starts: unknown format, or one that --detach does not
// have; a file that cannot be written.
absl::Status CheckRunOptions(const RunOptions& options);

// Runs the plan, which was found valid before, to its end; returns the exit code. The first SIGINT or SIGTERM
// cancels the run and its result is still printed and left; the second ends the process. A broken connection
// is begun anew as `options.patience` allows. Blocks.
int RunPlan(CoordinatorClient& client, const PlanText& plan, const RunOptions& options,
            const Screens& screens);

// The same with a run that was submitted before, from its beginning. SIGINT and SIGTERM leave the run alone:
// the exit code is kCancelled, since it has no other yet, and what to do is said.
int AttachToRun(CoordinatorClient& client, const std::string& run_id, const RunOptions& options,
                const Screens& screens);

// Submits the plan and returns once the coordinator keeps the run: standard output has its id alone, or with
// the formats json and yaml the answer.
int SubmitAndLeave(CoordinatorClient& client, const PlanText& plan, const RunOptions& options,
                   const Screens& screens);

// Whether PrintResult with these options shows anything that a result has once for each interval.
bool ShowsIntervals(const RunOptions& options);

// Prints `result` as `options` ask. Also what `tutti show` does. InvalidArgument: an unknown format, or one
// that only a run has. DataLoss: standard output could not be written.
absl::Status PrintResult(const tutti::v1::Result& result, const RunOptions& options, std::ostream& out);

}  // namespace tutti::cli
