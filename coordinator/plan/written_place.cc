#include "coordinator/plan/written_place.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/matrix.h"
#include "coordinator/plan/overrides.h"
#include "coordinator/plan/substitution.h"
#include "coordinator/plan/yaml_reader.h"

namespace tutti::plan {
namespace {

constexpr char kPayload[] = "tutti/plan-place";  // "LIST INDEX KEY"

// What is wrong: `key` of an item of one of the plan's lists.
struct Noted {
  std::string list;  // "traffic"
  size_t index = 0;
  std::string key;
};

absl::Status Note(const absl::Status& status, const Noted& where) {
  absl::Status noted = status;
  noted.SetPayload(kPayload, absl::Cord(absl::StrCat(where.list, " ", where.index, " ", where.key)));
  return noted;
}

std::optional<Noted> NotedIn(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(std::string(*payload), ' ');
  Noted where;
  if (parts.size() != 3 || !absl::SimpleAtoi(parts[1], &where.index)) return std::nullopt;
  where.list = parts[0];
  where.key = parts[2];
  return where;
}

std::optional<Position> PlaceOf(const tutti::v1::Plan& plan, int case_index, const Noted& where) {
  ErrorList ignored;
  NodePtr root = ReadYaml(plan.source(), ignored);
  if (root == nullptr) return std::nullopt;
  for (const std::string& override : plan.overrides()) root = ApplyOverride(root, override, ignored);
  const Entry* list = FindEntry(root.get(), where.list);
  if (list == nullptr) return std::nullopt;
  const std::vector<MatrixAxis> axes = ReadMatrix(*root, ignored);
  const NodePtr items =
      Substitute(list->value, CaseValues(axes, static_cast<size_t>(case_index)), where.list, ignored);
  if (where.index >= items->items.size()) return std::nullopt;
  const Node& node = *items->items[where.index];
  const Node* value = Find(&node, where.key);
  return value == nullptr ? node.position : value->position;
}

}  // namespace

absl::Status InEntry(const absl::Status& status, size_t entry, std::string_view key) {
  return Note(status, {"traffic", entry, std::string(key)});
}

absl::Status InThreshold(const absl::Status& status, size_t threshold, std::string_view key) {
  return Note(status, {"thresholds", threshold, std::string(key)});
}

absl::Status WithPlace(const tutti::v1::Plan& plan, int case_index, const absl::Status& status) {
  const std::optional<Noted> where = NotedIn(status);
  if (!where) return status;
  const std::optional<Position> position = PlaceOf(plan, case_index, *where);
  if (!position) return status;
  ErrorList errors;
  errors.Add(*position, JoinPath(absl::StrCat(where->list, "[", where->index, "]"), where->key),
             std::string(status.message()));
  return absl::Status(status.code(), Format(plan.source_name(), errors.TakeErrors().front()));
}

}  // namespace tutti::plan
