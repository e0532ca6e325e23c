#include "coordinator/plan/matrix.h"

#include <limits>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/value_parser.h"

namespace tutti::plan {
namespace {

bool CheckAxisName(const Entry& entry, ErrorList& errors) {
  const NodePtr name = MakeScalar(entry.key_position, entry.key, true);
  const absl::Status status = CheckScalarValue(*name, NameSpec());
  if (status.ok()) return true;
  errors.Add(entry.key_position, JoinPath("matrix", entry.key), std::string(status.message()));
  return false;
}

bool CheckAxisValues(const Node& list, const std::string& path, ErrorList& errors) {
  if (list.kind != Node::Kind::kList) {
    const std::string fix = list.kind == Node::Kind::kScalar ? absl::StrCat(": write [", list.text, "]")
                                                             : std::string(": write [VALUE, VALUE, ...]");
    errors.Add(list.position, path, absl::StrCat(Describe(list), " is no list of values", fix));
    return false;
  }
  if (list.items.empty()) {
    errors.Add(list.position, path, "the axis is empty: write at least one value, or remove it");
    return false;
  }
  bool good = true;
  std::map<std::string, size_t> seen;
  for (size_t i = 0; i < list.items.size(); ++i) {
    const Node& value = *list.items[i];
    const std::string value_path = absl::StrCat(path, "[", i, "]");
    std::string problem;
    if (value.kind == Node::Kind::kNull) {
      problem = "is empty: write a value";
    } else if (value.has_reference) {
      problem = absl::StrCat(Describe(value), " refers to an axis: values of an axis are written out");
    } else if (!seen.insert({ToFlowText(value), i}).second) {
      problem = absl::StrCat(Describe(value),
                             " is already in the axis: each value once; for more trials use repeat");
    }
    if (problem.empty()) continue;
    errors.Add(value.position, value_path, problem);
    good = false;
  }
  return good;
}

// An axis without effect would show identical cases under different labels.
void CheckUse(const Node& root, const Node& matrix, ErrorList& errors) {
  std::set<std::string> used;
  for (const Entry& entry : root.entries) {
    if (entry.key != "matrix") CollectReferences(*entry.value, used);
  }
  for (const Entry& axis : matrix.entries) {
    if (used.count(axis.key) > 0) continue;
    errors.Add(axis.key_position, JoinPath("matrix", axis.key),
               absl::StrCat("no value uses this axis: write ${", axis.key,
                            "} where it belongs, or remove it (to fix its ",
                            "value keep the reference and use --set matrix.", axis.key, "=[VALUE])"));
  }
}

}  // namespace

std::vector<MatrixAxis> ReadMatrix(const Node& root, ErrorList& errors) {
  const Node* matrix = Find(&root, "matrix");
  if (matrix == nullptr) return {};
  if (matrix->kind != Node::Kind::kMap || matrix->entries.empty()) {
    const std::string what =
        matrix->kind == Node::Kind::kMap ? "has no axes" : absl::StrCat(Describe(*matrix), " is no map");
    errors.Add(matrix->position, "matrix",
               absl::StrCat(what, ": write AXIS: [VALUE, VALUE] lines, or remove it"));
    return {};
  }
  std::vector<MatrixAxis> axes;
  for (const Entry& entry : matrix->entries) {
    MatrixAxis axis;
    axis.name = entry.key;
    const bool named = CheckAxisName(entry, errors);
    if (CheckAxisValues(*entry.value, JoinPath("matrix", entry.key), errors) && named) {
      axis.values = entry.value->items;
    } else {
      axis.values = {MakeBroken(entry.value->position)};
    }
    axes.push_back(std::move(axis));
  }
  CheckUse(root, *matrix, errors);
  return axes;
}

size_t CountCases(const std::vector<MatrixAxis>& axes) {
  size_t cases = 1;
  for (const MatrixAxis& axis : axes) {
    if (cases > std::numeric_limits<size_t>::max() / axis.values.size())
      return std::numeric_limits<size_t>::max();
    cases *= axis.values.size();
  }
  return cases;
}

std::vector<size_t> CaseChoice(const std::vector<MatrixAxis>& axes, size_t index) {
  std::vector<size_t> choice(axes.size());
  for (size_t i = axes.size(); i-- > 0;) {
    choice[i] = index % axes[i].values.size();
    index /= axes[i].values.size();
  }
  return choice;
}

AxisValues CaseValues(const std::vector<MatrixAxis>& axes, size_t index) {
  const std::vector<size_t> choice = CaseChoice(axes, index);
  AxisValues values;
  for (size_t i = 0; i < axes.size(); ++i) values[axes[i].name] = axes[i].values[choice[i]];
  return values;
}

}  // namespace tutti::plan
