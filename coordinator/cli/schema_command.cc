// tutti schema: the JSON Schema of a plan, for editors.
#include <CLI/CLI.hpp>
#include <iostream>

#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/plan/plan_loader.h"

namespace tutti::cli {

void AddSchemaCommand(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("schema", "Print the JSON Schema of a plan");
  command->callback([&chosen] {
    chosen = [] {
      std::cout << plan::PlanJsonSchema() << std::flush;
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
