#include "coordinator/plan/error_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tutti::plan {
namespace {

PlanError MakeError(const Position& position, const std::string& path, std::string message) {
  PlanError error;
  error.line = position.line;
  error.column = position.column;
  error.path = path;
  error.message = std::move(message);
  if (!position.origin.empty()) absl::StrAppend(&error.message, " (from --set ", position.origin, ")");
  return error;
}

}  // namespace

void ErrorList::Add(const Position& position, const std::string& path, std::string message) {
  PlanError error = MakeError(position, path, std::move(message));
  if (!seen_.insert({error.line, error.column, error.path, error.message}).second) return;
  if (errors_.size() >= kMostErrors) {
    ++dropped_;
    return;
  }
  errors_.push_back(std::move(error));
}

void ErrorList::Warn(const Position& position, const std::string& path, std::string message) {
  PlanError warning = MakeError(position, path, std::move(message));
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
    rest.message = absl::StrCat("and ", dropped_, " more errors");
    errors_.push_back(std::move(rest));
  }
  return std::move(errors_);
}

std::vector<PlanError> ErrorList::TakeWarnings() { return std::move(warnings_); }

}  // namespace tutti::plan
