#include "coordinator/cli/run_id_argument.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tutti::cli {
namespace {

constexpr int kMostRuns = 1000;

// Empty: it may be one.
std::string WhyNoRunId(const std::string& text) {
  constexpr size_t kMostCharacters = 128;
  const bool characters = std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
  if (characters && !text.empty() && text.size() <= kMostCharacters) return "";
  return absl::StrCat("\"", text.substr(0, 40), text.size() > 40 ? "..." : "",
                      "\" is no id of a run, such as 20261130-104512-3fa1");
}

}  // namespace

CLI::Option* AddRunIdArgument(CLI::App& command, std::string& run_id) {
  return command.add_option("RUN", run_id, "Id of a run")->required()->check(WhyNoRunId)->type_name("ID");
}

CLI::Option* AddRunIdsArgument(CLI::App& command, std::vector<std::string>& run_ids) {
  return command.add_option("RUN", run_ids, "Ids of runs")
      ->required()
      ->expected(1, kMostRuns)
      ->check(WhyNoRunId)
      ->type_name("ID");
}

}  // namespace tutti::cli
