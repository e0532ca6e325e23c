#include "coordinator/plan/error_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"

namespace tutti::plan {
namespace {

// Messages and paths quote what the user wrote, which may be meant for the terminal rather than for the
// reader.
PlanError MakeError(const Position& position, const std::string& path, const std::string& message) {
  PlanError error;
  error.line = position.line;
  error.column = position.column;
  error.path = Printable(path);
  error.message = Printable(message);
  if (!position.origin.empty()) {
    absl::StrAppend(&error.message, " (from --set ", Printable(position.origin), ")");
  }
  return error;
}

}  // namespace

void ErrorList::Add(const Position& position, const std::string& path, const std::string& message) {
  PlanError error = MakeError(position, path, message);
  if (!seen_.insert({error.line, error.column, error.path, error.message}).second) return;
  if (errors_.size() >= kMostErrors) {
    ++dropped_;
    return;
  }
  errors_.push_back(std::move(error));
}

void ErrorList::Warn(const Position& position, const std::string& path, const std::string& message) {
  PlanError warning = MakeError(position, path, message);
  if (warnings_.size() >= kMostErrors) return;
  if (!seen_.insert({warning.line, warning.column, warning.path, warning.message}).second) return;
  warnings_.push_back(std::move(warning));
}

std::vector<PlanError> ErrorList::TakeErrors() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const PlanError& a, const PlanError& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  if (dropped_ > 0) {
    PlanError rest;
    rest.message = absl::StrCat("and ", dropped_, dropped_ == 1 ? " more error" : " more errors");
    errors_.push_back(std::move(rest));
  }
  return std::move(errors_);
}

std::vector<PlanError> ErrorList::TakeWarnings() { return std::move(warnings_); }

}  // namespace tutti::plan
