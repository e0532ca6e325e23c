// tutti: parses the command line, runs the chosen command.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"

int main(int argc, char** argv) {
  CLI::App app{"tutti: many hosts send at the same instant, one report says what each of them did."};
  app.require_subcommand(1);
  tutti::cli::Chosen chosen;
  tutti::cli::AddValidateCommand(app, chosen);
  tutti::cli::AddPlanCommand(app, chosen);
  tutti::cli::AddRunCommand(app, chosen);
  tutti::cli::AddLabCommand(app, chosen);
  tutti::cli::AddWorkersCommand(app, chosen);
  tutti::cli::AddShowCommand(app, chosen);
  tutti::cli::AddSchemaCommand(app, chosen);
  tutti::cli::AddVersionCommand(app, chosen);
  try {
    app.parse(argc, argv);
    return chosen ? chosen() : tutti::cli::kUsage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? tutti::cli::kPassed : tutti::cli::kUsage;
  } catch (const std::exception& error) {
    std::cerr << "tutti: internal error: " << error.what() << "\n";
    return tutti::cli::kInternal;
  }
}
