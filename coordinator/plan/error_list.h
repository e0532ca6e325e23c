// The errors of a plan: collected, each once, in the order of the file.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "coordinator/plan/plan_loader.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

// Not thread-safe. Keeps at most kMostErrors; further ones are counted and said in one last error.
class ErrorList {
 public:
  static constexpr size_t kMostErrors = 200;

  // The same error at the same place is kept once: each case of a matrix finds it again. Control characters
  // in `path` and `message`, which quote the user's text, are written out (Printable): one error is one line.
  void Add(const Position& position, const std::string& path, const std::string& message);
  void Warn(const Position& position, const std::string& path, const std::string& message);

  bool empty() const { return errors_.empty(); }
  size_t size() const { return errors_.size(); }

  // Errors sorted by place.
  std::vector<PlanError> TakeErrors();
  std::vector<PlanError> TakeWarnings();

 private:
  using Seen = std::set<std::tuple<int, int, std::string, std::string>>;

  Seen seen_;
  std::vector<PlanError> errors_;
  std::vector<PlanError> warnings_;
  size_t dropped_ = 0;
};

}  // namespace tutti::plan
