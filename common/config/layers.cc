#include "common/config/layers.h"

#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/config/setting.h"
#include "common/config/settings_file.h"
#include "common/status/printable.h"
#include "common/suggestion/suggestion.h"

namespace tutti {
namespace {

constexpr std::string_view kPrefix = "TUTTI_";

// "10.0.0.1:7117, unix:/run/a" of a list, else the one text.
std::vector<std::string> TextsOf(const Setting& setting, const std::string& text) {
  if (!IsList(setting)) return {text};
  std::vector<std::string> texts;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ','))) {
    std::string stripped = part;
    absl::StripAsciiWhitespace(&stripped);
    texts.push_back(std::move(stripped));
  }
  return texts;
}

void TakeBuiltIn(Configuration& configuration) {
  for (const Setting& setting : SettingTable()) {
    const std::string text = setting.default_text;
    SettingValue value{.origin = "built-in"};
    if (!text.empty()) value.texts = {text};
    configuration.values[setting.key] = std::move(value);
  }
}

void TakeEnvironment(const std::map<std::string, std::string>& environment, Configuration& configuration) {
  for (const Setting& setting : SettingTable()) {
    const std::string name = VariableOf(setting);
    const auto found = environment.find(name);
    if (found == environment.end() || found->second.empty()) continue;
    SettingValue value{
        .texts = TextsOf(setting, found->second), .layer = Layer::kEnvironment, .origin = name};
    bool good = true;
    for (const std::string& text : value.texts) {
      const std::string wrong = CheckSetting(setting, text);
      if (wrong.empty()) continue;
      configuration.errors.push_back(absl::StrCat(name, ": ", wrong));
      good = false;
    }
    if (good) configuration.values[setting.key] = std::move(value);
  }
}

// Whether a variable is what the units' environment files are made of.
bool IsOfUnits(std::string_view name) {
  return name == "TUTTI_COORDINATOR_ARGS" || name == "TUTTI_WORKER_ARGS";
}

// Other programs may use the prefix, so only what looks like a mistake is spoken of.
void WarnOfMistypedVariables(const std::map<std::string, std::string>& environment,
                             Configuration& configuration) {
  for (const auto& [name, text] : environment) {
    if (std::string_view(name).substr(0, kPrefix.size()) != kPrefix || IsOfUnits(name)) continue;
    const std::string nearest = Nearest(std::string_view(name).substr(kPrefix.size()), SettingKeys());
    if (nearest.empty()) continue;
    const std::string meant = VariableOf(*FindSetting(nearest));
    if (meant == name) continue;
    configuration.warnings.push_back(
        absl::StrCat(Printable(name), " is no setting and does nothing; did you mean ", meant, "?"));
  }
}

}  // namespace

Configuration LayerSettings(const Layers& layers) {
  Configuration configuration;
  TakeBuiltIn(configuration);
  for (const ConfigFile& file : layers.files) {
    configuration.files.push_back(file.path);
    for (FileSetting& read : ReadSettings(file, configuration.errors)) {
      configuration.values[read.key] = {std::move(read.texts), Layer::kFile, std::move(read.place)};
    }
  }
  TakeEnvironment(layers.environment, configuration);
  WarnOfMistypedVariables(layers.environment, configuration);
  for (const auto& [key, texts] : layers.flags) {
    const Setting* setting = FindSetting(key);
    if (setting != nullptr) configuration.values[key] = {texts, Layer::kFlag, FlagOf(*setting)};
  }
  return configuration;
}

}  // namespace tutti
