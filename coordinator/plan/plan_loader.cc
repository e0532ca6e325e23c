#include "coordinator/plan/plan_loader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/printable.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/decode_case.h"
#include "coordinator/plan/equal_cases.h"
#include "coordinator/plan/error_list.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/matrix.h"
#include "coordinator/plan/overrides.h"
#include "coordinator/plan/substitution.h"
#include "coordinator/plan/yaml_reader.h"

namespace tutti::plan {
namespace {

constexpr int64_t kBackgroundNs = 1'000'000'000;

void CheckFixedKeys(const Node& root, ErrorList& errors) {
  for (const char* key : {"version", "name"}) {
    const Node* value = Find(&root, key);
    if (value != nullptr && value->has_reference) {
      errors.Add(value->position, key,
                 "holds for the whole plan and cannot vary with the matrix: write it out");
    }
  }
}

// False where the matrix is beyond what a run can hold.
bool CheckExtent(const Node& root, const std::vector<MatrixAxis>& axes, ErrorList& errors) {
  const size_t cases = CountCases(axes);
  const Entry* matrix = FindEntry(&root, "matrix");
  if (cases > kMostCases) {
    errors.Add(matrix->key_position, "matrix",
               absl::StrCat("spans ", cases, " cases, more than ", kMostCases, ": shorten its axes"));
    return false;
  }
  // The matrix itself is not part of a case.
  const size_t own = root.nodes - (matrix == nullptr ? 0 : matrix->value->nodes);
  size_t largest = own;
  for (const MatrixAxis& axis : axes) {
    for (const NodePtr& value : axis.values) largest = std::max(largest, own + value->nodes);
  }
  if (cases * largest > kMostCaseNodes) {
    errors.Add(matrix == nullptr ? root.position : matrix->key_position, "matrix",
               absl::StrCat(cases, cases == 1 ? " case with " : " cases with ", largest,
                            " values each are more than ", kMostCaseNodes, ": shorten the axes or the plan"));
    return false;
  }
  return true;
}

// Checks and decodes case `index`.
tutti::v1::Case LoadCase(const NodePtr& root, const std::vector<MatrixAxis>& axes, size_t index,
                         ErrorList& errors) {
  const AxisValues values = CaseValues(axes, index);
  const NodePtr resolved = SubstituteCase(root, values, errors);
  CheckShape(*resolved, PlanKeys(), "", errors);
  tutti::v1::Case plan_case = DecodeCase(*resolved);
  CheckRoles(plan_case, *resolved, errors);
  CheckTraffic(plan_case, *resolved, errors);
  CheckPacing(plan_case, *resolved, errors);
  CheckThreads(plan_case, *resolved, errors);
  CheckPlacement(plan_case, *resolved, errors);
  CheckPorts(plan_case, *resolved, errors);
  CheckTiming(plan_case, *resolved, errors);
  CheckThresholds(plan_case, *resolved, errors);
  plan_case.set_index(static_cast<uint32_t>(index));
  for (size_t i = 0; i < axes.size(); ++i) {
    tutti::v1::AxisValue* value = plan_case.add_values();
    value->set_axis(axes[i].name);
    value->set_value(ToFlowText(*values.at(axes[i].name)));
  }
  return plan_case;
}

// Everything behind the text; errors end up in `errors`.
void LoadTree(NodePtr root, const std::vector<std::string>& overrides, tutti::v1::Plan& plan,
              ErrorList& errors) {
  for (const std::string& override : overrides) root = ApplyOverride(root, override, errors);
  if (root->kind != Node::Kind::kMap) {
    CheckShape(*root, PlanKeys(), "", errors);
    return;
  }
  CheckFixedKeys(*root, errors);
  if (const Node* name = Find(root.get(), "name"); name != nullptr) plan.set_name(name->text);
  const std::vector<MatrixAxis> axes = ReadMatrix(*root, errors);
  for (const MatrixAxis& axis : axes) {
    tutti::v1::Axis* shown = plan.add_axes();
    shown->set_name(axis.name);
    for (const NodePtr& value : axis.values) shown->add_values(ToFlowText(*value));
  }
  if (!CheckExtent(*root, axes, errors)) return;
  const size_t cases = CountCases(axes);
  for (size_t i = 0; i < cases; ++i) {
    *plan.add_cases() = LoadCase(root, axes, i, errors);
    if (errors.size() >= ErrorList::kMostErrors) break;
  }
  // A value in error is decoded as if it was left out, so that two of them would look equal.
  if (errors.empty()) CheckDistinctCases(plan, axes, errors);
  if (errors.empty()) CheckThresholdsJudge(plan, *root, errors);
}

}  // namespace

std::string Format(std::string_view source_name, const PlanError& error) {
  std::string text = Printable(source_name);
  if (error.line > 0) absl::StrAppend(&text, ":", error.line, ":", error.column);
  if (!error.path.empty()) absl::StrAppend(&text, ": ", error.path);
  absl::StrAppend(&text, ": ", error.message);
  return text;
}

LoadedPlan LoadPlan(std::string_view text, std::string_view source_name,
                    const std::vector<std::string>& overrides) {
  LoadedPlan loaded;
  ErrorList errors;
  loaded.plan.set_source_name(Printable(source_name));
  NodePtr root = ReadYaml(text, errors);
  if (root != nullptr) {
    loaded.plan.set_source(std::string(text));
    for (const std::string& override : overrides) loaded.plan.add_overrides(override);
    LoadTree(std::move(root), overrides, loaded.plan, errors);
  }
  loaded.errors = errors.TakeErrors();
  for (const PlanError& warning : errors.TakeWarnings())
    loaded.warnings.push_back(Format(source_name, warning));
  if (!loaded.errors.empty()) {
    loaded.plan.clear_axes();
    loaded.plan.clear_cases();
  }
  return loaded;
}

absl::StatusOr<tutti::v1::Plan> LoadValidPlan(std::string_view text, std::string_view source_name,
                                              const std::vector<std::string>& overrides) {
  LoadedPlan loaded = LoadPlan(text, source_name, overrides);
  if (loaded.errors.empty()) return std::move(loaded.plan);
  std::vector<std::string> lines;
  for (const PlanError& error : loaded.errors) lines.push_back(Format(source_name, error));
  return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
}

int64_t ExpectedDurationNs(const tutti::v1::Plan& plan) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t total = 0;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    const tutti::v1::Timing& timing = plan_case.timing();
    const int64_t trial = timing.warmup_ns() + timing.measure_ns() + timing.cooldown_ns();
    int64_t trials = 0;
    if (__builtin_mul_overflow(trial, static_cast<int64_t>(plan_case.repeat()), &trials) ||
        __builtin_add_overflow(total, trials, &total) ||
        __builtin_add_overflow(total, kBackgroundNs, &total)) {
      return kMost;
    }
  }
  return total;
}

}  // namespace tutti::plan
