// tutti version
#include <CLI/CLI.hpp>
#include <iostream>

#include "common/version/version.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"

namespace tutti::cli {

void AddVersionCommand(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->callback([&chosen] {
    chosen = [] {
      std::cout << "tutti " << kVersion << "\n";
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
