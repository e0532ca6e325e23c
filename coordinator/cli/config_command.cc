// tutti config show: every setting, what it is, and which layer says so.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "coordinator/cli/command.h"
#include "coordinator/cli/configuration_table.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/output.h"

namespace tutti::cli {
namespace {

struct Arguments {
  bool origin = false;
  Output output = Output::kTable;
};

int ShowConfiguration(const Arguments& arguments, const Configuration& configuration) {
  std::cout << (arguments.output == Output::kTable
                    ? RenderConfiguration(configuration, arguments.origin)
                    : RenderDocument(ConfigurationDocument(configuration), arguments.output));
  return kPassed;
}

}  // namespace

void AddConfigCommand(CLI::App& app, const Configuration& configuration, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* config = app.add_subcommand("config", "What is configured");
  config->require_subcommand(1);
  CLI::App* command =
      config->add_subcommand("show", "Print every setting of all three programs, as this process finds them");
  command->add_flag("--origin", arguments->origin,
                    "Also where each value comes from; JSON and YAML have it anyway");
  AddOutputOption(*command, arguments->output);
  command->callback([arguments, &configuration, &chosen] {
    chosen = [arguments, &configuration] { return ShowConfiguration(*arguments, configuration); };
  });
}

}  // namespace tutti::cli
