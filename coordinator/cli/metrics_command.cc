// tutti metrics: what the thresholds of a plan can compare.
#include <CLI/CLI.hpp>
#include <iostream>

#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/metrics_table.h"

namespace tutti::cli {

void AddMetricsCommand(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("metrics", "List the metrics that a plan's thresholds can compare");
  command->callback([&chosen] {
    chosen = [] {
      std::cout << RenderMetrics() << std::flush;
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
