// tutti completion bash|zsh: a script that completes the command line.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "common/completion/completion.h"
#include "coordinator/cli/command.h"
#include "coordinator/cli/exit_codes.h"

namespace tutti::cli {
namespace {

constexpr char kProgram[] = "tutti";

}  // namespace

void AddCompletionCommand(CLI::App& app, Chosen& chosen) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes commands, flags and values");
  command->add_option("SHELL", *shell, "For which shell: bash or zsh")
      ->required()
      ->type_name("bash|zsh")
      ->check([](const std::string& name) {
        return name == "bash" || name == "zsh" ? std::string() : "\"" + name + "\" is not one of bash, zsh";
      });
  command->footer(
      "Now: source <(tutti completion bash). Of all users: the installer puts both scripts in place.");
  command->callback([shell, &app, &chosen] {
    chosen = [shell, &app] {
      std::cout << (*shell == "bash" ? BashCompletion(app, kProgram) : ZshCompletion(app, kProgram));
      return kPassed;
    };
  });
}

}  // namespace tutti::cli
