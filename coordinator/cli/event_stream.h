// The events of one run as `tutti watch` prints them.
#pragma once

#include <string>

#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/run_flow.h"

namespace tutti::cli {

// From the run's beginning to its end, on standard output: live lines, or a line of JSON or a YAML document
// for each event; no report. Of `options` only jsonl_path, quiet and patience count. kPassed once the run has
// ended, however it did; kCancelled where SIGINT or SIGTERM came first, which leave the run alone. Blocks.
int ShowEvents(CoordinatorClient& client, const std::string& run_id, Output output, const RunOptions& options,
               const Screens& screens);

}  // namespace tutti::cli
