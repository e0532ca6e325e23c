#include "coordinator/cli/run_labels.h"

#include "absl/strings/str_cat.h"

namespace tutti::cli {

absl::StatusOr<std::map<std::string, std::string>> ParseLabels(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", text, ": write KEY=VALUE, as in commit=3fa1"));
    }
    if (!labels.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", text, ": this key is there twice; leave one of them out"));
    }
  }
  return labels;
}

}  // namespace tutti::cli
