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
// PLAN
void AddPlanArgument(CLI::App& command, std::string& path);
// --set KEY=VALUE, as often as wanted
void AddSetOption(CLI::App& command, std::vector<std::string>& overrides);
// --format (also called --output), --detail, --timeline
void AddReportOptions(CLI::App& command, RunOptions& options);
// The above and --set, --json, --jsonl, --quiet
void AddRunOptions(CLI::App& command, RunOptions& options);

}  // namespace tutti::cli
