// tutti: parses the command line, runs the chosen command.
#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

#include "common/config/command_line.h"
#include "common/status/printable.h"
#include "common/version/version.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/exit_codes.h"
#include "coordinator/cli/standard_files.h"

namespace {

// CLI11 only says that some subcommand is required.
int SayUnknownCommand(const CLI::App& app, const std::string& word) {
  std::cerr << "tutti: \"" << tutti::Printable(word) << "\" is not a command; there are:";
  for (const CLI::App* command : app.get_subcommands({})) std::cerr << " " << command->get_name();
  std::cerr << " (tutti --help)\n";
  return tutti::cli::kUsage;
}

// A command whose output did not arrive has not succeeded (a full disk, a closed standard output).
int AfterOutput(int exit_code) {
  std::cout.flush();
  if (std::cout || exit_code != tutti::cli::kPassed) return exit_code;
  std::cerr << "tutti: standard output could not be written\n";
  return tutti::cli::kInternal;
}

// What was asked for (--help) or what is wrong, which quotes the arguments.
int SayParseError(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream complaint;
  const bool help = app.exit(error, std::cout, complaint) == 0;
  std::cerr << tutti::PrintableLines(complaint.str());
  return AfterOutput(help ? tutti::cli::kPassed : tutti::cli::kUsage);
}

// Of the program and of each command: it may stand before or behind one.
void AddVersionFlag(CLI::App& app) {
  app.set_version_flag("--version", std::string("tutti ") + tutti::kVersion);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) AddVersionFlag(*command);
}

void AddCommands(CLI::App& app, const tutti::Configuration& configuration, tutti::cli::Chosen& chosen) {
  tutti::cli::AddValidateCommand(app, chosen);
  tutti::cli::AddPlanCommand(app, chosen);
  tutti::cli::AddRunCommand(app, chosen);
  tutti::cli::AddAttachCommand(app, chosen);
  tutti::cli::AddWatchCommand(app, chosen);
  tutti::cli::AddStatusCommand(app, chosen);
  tutti::cli::AddWhyNotCommand(app, chosen);
  tutti::cli::AddCancelCommand(app, chosen);
  tutti::cli::AddLabCommand(app, chosen);
  tutti::cli::AddWorkersCommand(app, chosen);
  tutti::cli::AddDoctorCommand(app, chosen);
  tutti::cli::AddShowCommand(app, chosen);
  tutti::cli::AddResultsCommand(app, chosen);
  tutti::cli::AddRerunCommand(app, chosen);
  tutti::cli::AddExplainCommand(app, chosen);
  tutti::cli::AddFactsCommand(app, chosen);
  tutti::cli::AddMetricsCommand(app, chosen);
  tutti::cli::AddSchemaCommand(app, chosen);
  tutti::cli::AddConfigCommand(app, configuration, chosen);
  tutti::cli::AddCompletionCommand(app, chosen);
  tutti::cli::AddVersionCommand(app, chosen);
}

// Gives the command's flags what the configuration says, and runs it.
int Run(CLI::App& app, tutti::Configuration& configuration, const tutti::cli::Chosen& chosen) {
  if (!chosen) return tutti::cli::kUsage;
  const absl::Status configured = tutti::Configure(app, tutti::Program::kTutti, configuration);
  for (const std::string& warning : configuration.warnings)
    std::cerr << "tutti: warning: " << warning << "\n";
  if (!configured.ok()) return tutti::cli::Complain(configured, tutti::cli::kUsage);
  return AfterOutput(chosen());
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::HoldStandardFiles();
  CLI::App app{"tutti: many hosts send at the same instant, one report says what each of them did."};
  app.require_subcommand(1);
  tutti::cli::Chosen chosen;
  tutti::Configuration configuration;
  AddCommands(app, configuration, chosen);
  AddVersionFlag(app);
  tutti::DefineConfiguration(app, tutti::Program::kTutti);
  try {
    app.parse(argc, argv);
    return Run(app, configuration, chosen);
  } catch (const CLI::RequiredError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty())
      return SayUnknownCommand(app, argv[1]);
    return SayParseError(app, error);
  } catch (const CLI::ExtrasError&) {  // lists them from last to first
    return SayParseError(app, CLI::ExtrasError(app.remaining_for_passthrough(true)));
  } catch (const CLI::ParseError& error) {
    return SayParseError(app, error);
  } catch (const std::exception& error) {
    std::cerr << "tutti: internal error: " << error.what() << "\n";
    return tutti::cli::kInternal;
  }
}
