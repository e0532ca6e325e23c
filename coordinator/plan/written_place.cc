#include "coordinator/plan/written_place.h"

#include <optional>
#include <string>
#include <utility>
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

constexpr char kPayload[] = "tutti/plan-entry";  // "ENTRY KEY"

std::optional<Position> PlaceOf(const tutti::v1::Plan& plan, int case_index, size_t entry,
                                const std::string& key) {
  ErrorList ignored;
  NodePtr root = ReadYaml(plan.source(), ignored);
  if (root == nullptr) return std::nullopt;
  for (const std::string& override : plan.overrides()) root = ApplyOverride(root, override, ignored);
  const Entry* traffic = FindEntry(root.get(), "traffic");
  if (traffic == nullptr) return std::nullopt;
  const std::vector<MatrixAxis> axes = ReadMatrix(*root, ignored);
  const NodePtr entries =
      Substitute(traffic->value, CaseValues(axes, static_cast<size_t>(case_index)), "traffic", ignored);
  if (entry >= entries->items.size()) return std::nullopt;
  const Node& node = *entries->items[entry];
  const Node* value = Find(&node, key);
  return value == nullptr ? node.position : value->position;
}

}  // namespace

absl::Status InEntry(const absl::Status& status, size_t entry, std::string_view key) {
  absl::Status noted = status;
  noted.SetPayload(kPayload, absl::Cord(absl::StrCat(entry, " ", std::string(key))));
  return noted;
}

absl::Status WithPlace(const tutti::v1::Plan& plan, int case_index, const absl::Status& status) {
  const auto noted = status.GetPayload(kPayload);
  if (!noted) return status;
  const std::pair<std::string, std::string> where = absl::StrSplit(std::string(*noted), ' ');
  size_t entry = 0;
  if (!absl::SimpleAtoi(where.first, &entry)) return status;
  const std::optional<Position> position = PlaceOf(plan, case_index, entry, where.second);
  if (!position) return status;
  ErrorList errors;
  errors.Add(*position, JoinPath(absl::StrCat("traffic[", entry, "]"), where.second),
             std::string(status.message()));
  return absl::Status(status.code(), Format(plan.source_name(), errors.TakeErrors().front()));
}

}  // namespace tutti::plan
