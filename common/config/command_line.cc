#include "common/config/command_line.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/config_sources.h"
#include "common/status/printable.h"

namespace tutti {
namespace {

constexpr char kNoConfig[] = "--no-config";
constexpr char kDefaultType[] = "TEXT";  // CLI11's of a string

// nullptr where `app` has no flag that is this setting.
CLI::Option* FlagIn(CLI::App& app, const Setting& setting) {
  CLI::Option* option = app.get_option_no_throw(FlagOf(setting));
  return option != nullptr && option->get_configurable() ? option : nullptr;
}

void Describe(CLI::App& app, Program program) {
  for (const Setting& setting : SettingTable()) {
    CLI::Option* option = IsOf(setting, program) ? FlagIn(app, setting) : nullptr;
    if (option == nullptr) continue;
    option->description(absl::StrCat(option->get_description(), " [", VariableOf(setting), "]"));
    if (setting.kind != SettingKind::kBool && setting.default_text[0] != '\0')
      option->default_str(setting.default_text);
    // For help and completion, unless the flag says itself what it takes.
    if (setting.kind == SettingKind::kWord && option->get_type_name() == kDefaultType)
      option->type_name(absl::StrJoin(setting.words, "|"));
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) Describe(*command, program);
}

// The program's parser and those of the commands that were chosen.
std::vector<CLI::App*> Chosen(CLI::App& app) {
  std::vector<CLI::App*> chosen = {&app};
  for (size_t i = 0; i < chosen.size(); ++i) {
    const std::vector<CLI::App*> below = chosen[i]->get_subcommands();
    chosen.insert(chosen.end(), below.begin(), below.end());
  }
  return chosen;
}

void AddNoConfig(CLI::App& app) {
  app.add_flag(kNoConfig)->description("Read no configuration: no file and no TUTTI_ variable");
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) AddNoConfig(*command);
}

bool IsExcluded(const CLI::Option& option) {
  const std::set<CLI::Option*> excludes = option.get_excludes();
  return std::any_of(excludes.begin(), excludes.end(),
                     [](const CLI::Option* other) { return other->count() > 0; });
}

// Converts and checks the value as one from the command line.
void Apply(const SettingValue& value, CLI::Option& option, std::vector<std::string>& errors) {
  try {
    option.add_result(value.texts);
    option.run_callback();
  } catch (const CLI::Error& error) {
    errors.push_back(absl::StrCat(value.origin, ": ", Printable(error.what())));
  }
}

absl::Status ErrorOf(const std::vector<std::string>& errors) {
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the configuration has ", errors.size(),
                                                 errors.size() == 1 ? " error:\n" : " errors:\n",
                                                 absl::StrJoin(errors, "\n")));
}

}  // namespace

void DefineConfiguration(CLI::App& app, Program program) {
  Describe(app, program);
  AddNoConfig(app);
}

absl::Status Configure(CLI::App& app, Program program, Configuration& configuration) {
  std::vector<std::string> errors;
  Layers layers;
  const std::vector<CLI::App*> chosen = Chosen(app);
  const bool no_config = std::any_of(chosen.begin(), chosen.end(),
                                     [](const CLI::App* command) { return command->count(kNoConfig) > 0; });
  if (!no_config) {
    layers.environment = ProcessEnvironment();
    layers.files = ReadConfigFiles(kSystemConfigFolder, layers.environment, errors);
  }
  std::vector<std::pair<const Setting*, CLI::Option*>> not_given;
  for (CLI::App* command : chosen) {
    for (const Setting& setting : SettingTable()) {
      CLI::Option* option = IsOf(setting, program) ? FlagIn(*command, setting) : nullptr;
      if (option == nullptr) continue;
      if (option->count() > 0) {
        layers.flags[setting.key] = option->results();
      } else if (!IsExcluded(*option)) {
        not_given.emplace_back(&setting, option);
      }
    }
  }
  configuration = LayerSettings(layers);
  errors.insert(errors.end(), configuration.errors.begin(), configuration.errors.end());
  for (const auto& [setting, option] : not_given) {
    const SettingValue& value = configuration.values[setting->key];
    if (!value.texts.empty()) Apply(value, *option, errors);
  }
  configuration.errors = errors;
  return ErrorOf(errors);
}

}  // namespace tutti
