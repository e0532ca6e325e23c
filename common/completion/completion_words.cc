#include "common/completion/completion_words.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tutti {
namespace {

bool IsWord(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return absl::ascii_islower(byte) || absl::ascii_isdigit(byte) || c == '-' || c == '_' || c == ':';
  });
}

void Merge(const Completions& more, Completions& completions) {
  completions.words.insert(completions.words.end(), more.words.begin(), more.words.end());
  completions.files = completions.files || more.files;
  completions.folders = completions.folders || more.folders;
  completions.labs = completions.labs || more.labs;
}

CompletedFlag FlagOf(const CLI::Option& option) {
  CompletedFlag flag;
  for (const std::string& name : option.get_lnames()) flag.names.push_back(absl::StrCat("--", name));
  for (const std::string& name : option.get_snames()) flag.names.push_back(absl::StrCat("-", name));
  flag.description = option.get_description();
  if (option.get_items_expected_max() == 0) return flag;
  flag.type = option.get_type_name();
  flag.repeated = option.get_items_expected_max() > 1 ||
                  option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  flag.values = CompletionsOf(option);
  return flag;
}

void AddCommand(const CLI::App& app, const std::string& path, std::vector<CompletedCommand>& commands) {
  CompletedCommand command;
  command.path = path;
  command.description = app.get_description();
  command.prefix = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options()) {
    if (option->nonpositional()) {
      command.flags.push_back(FlagOf(*option));
      continue;
    }
    if (command.argument.empty()) command.argument = option->get_name(true);
    Merge(CompletionsOf(*option), command.arguments);
  }
  const std::vector<const CLI::App*> below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : below) command.commands.push_back(each->get_name());
  commands.push_back(std::move(command));
  for (const CLI::App* each : below) AddCommand(*each, absl::StrCat(path, " ", each->get_name()), commands);
}

}  // namespace

Completions CompletionsOf(const CLI::Option& option) {
  Completions completions;
  const std::vector<std::string> parts = absl::StrSplit(option.get_type_name(), '|');
  for (const std::string& part : parts) {
    if (part == "FILE") completions.files = true;
    if (part == "DIR") completions.folders = true;
    if (part == "LAB") completions.labs = true;
    if (IsWord(part)) completions.words.push_back(part);
  }
  return completions;
}

std::vector<CompletedCommand> CompletedCommands(const CLI::App& app, const std::string& program) {
  std::vector<CompletedCommand> commands;
  AddCommand(app, program, commands);
  return commands;
}

}  // namespace tutti
