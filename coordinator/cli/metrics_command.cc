// tutti metrics: what the thresholds of a plan can compare.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/metrics_table.h"
#include "coordinator/cli/output.h"

namespace tutti::cli {

void AddMetricsCommand(CLI::App& app, Chosen& chosen) {
  const auto output = std::make_shared<Output>(Output::kTable);
  CLI::App* command = app.add_subcommand("metrics", "List the metrics that a plan's thresholds can compare");
  AddOutputOption(*command, *output);
  command->callback([output, &chosen] {
    chosen = [output] {
      std::cout << (*output == Output::kTable ? RenderMetrics() : RenderDocument(MetricsDocument(), *output))
                << std::flush;
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
