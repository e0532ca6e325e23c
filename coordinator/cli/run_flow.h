// A run as its user lives it: submit, watch, print, leave the result, say how it ended.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/plan_file.h"
#include "tutti/v1/result.pb.h"

namespace tutti::cli {

struct RunOptions {
  std::vector<std::string> overrides;  // --set, in order
  std::map<std::string, std::string> labels;
  std::string json_path;  // empty: only under the state folder
  std::string format = "table";
  bool detail = false;
  bool timeline = false;
  bool quiet = false;  // no live lines
  bool color = false;  // standard output is a terminal
};

struct Screens {
  std::ostream& out;   // the report
  std::ostream& live;  // everything else
};

// Usage errors that are better told before anything starts: unknown format, unwritable --json file.
absl::Status CheckRunOptions(const RunOptions& options);

// Runs the plan, which was found valid before, to its end; returns the exit code. The first SIGINT or SIGTERM
// cancels the run and its result is still printed and left; the second ends the process. Blocks.
int RunPlan(CoordinatorClient& client, const PlanText& plan, const RunOptions& options,
            const Screens& screens);

// Prints `result` as `options` ask. Also what `tutti show` does.
absl::Status PrintResult(const tutti::v1::Result& result, const RunOptions& options, std::ostream& out);

}  // namespace tutti::cli
