// Options that several commands share. Include it only where the parser is included anyway.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "coordinator/cli/coordinator_client.h"
#include "coordinator/cli/run_flow.h"

namespace tutti::cli {

// --coordinator or --lab, else what the configuration says (common/config); --insecure. `address` outlives
// the parsing.
void AddCoordinatorOptions(CLI::App& command, CoordinatorAddress& address);
// Whether one of them was on the command line. In the command's callback: later what is
// configured counts too.
bool CoordinatorGiven(const CLI::App& command);
// PLAN
void AddPlanArgument(CLI::App& command, std::string& path);
// --set KEY=VALUE, as often as wanted
void AddSetOption(CLI::App& command, std::vector<std::string>& overrides);
// --label KEY=VALUE, as often as wanted
void AddLabelOption(CLI::App& command, std::vector<std::string>& labels);
// --format (also called --output), --detail, --timeline
void AddReportOptions(CLI::App& command, RunOptions& options);
// --jsonl
void AddEventFileOption(CLI::App& command, RunOptions& options);
// Both of the above and --json, --quiet
void AddFollowOptions(CLI::App& command, RunOptions& options);
// The above and --set
void AddRunOptions(CLI::App& command, RunOptions& options);
// --detach, --idempotency-key, --max-wait of a command that has the options of AddFollowOptions
void AddSubmitOptions(CLI::App& command, RunOptions& options);

}  // namespace tutti::cli
