#include "coordinator/cli/run_labels.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"
#include "coordinator/plan/label_bounds.h"

namespace tutti::cli {
namespace {

size_t Utf8Prefix(std::string_view text) {
  size_t length = 0;
  while (length < text.size()) {
    const size_t next = Utf8CharacterLength(text.substr(length));
    if (next == 0) break;
    length += next;
  }
  return length;
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> ParseLabels(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> labels;
  for (const std::string& text : texts) {
    if (Utf8Prefix(text) < text.size()) {
      return absl::InvalidArgumentError(absl::StrCat("--label ", text, ": is not UTF-8"));
    }
    if (text.size() > plan::kMostLabelBytes + 1) {  // with the sign between them
      return absl::InvalidArgumentError(absl::StrCat("--label ", text.substr(0, 40), "...: has ",
                                                     text.size() - 1, " bytes, at most ",
                                                     plan::kMostLabelBytes, " are taken"));
    }
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
  if (labels.size() > plan::kMostLabels) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", labels.size(), " labels, at most ", plan::kMostLabels, " are taken"));
  }
  return labels;
}

}  // namespace tutti::cli
