#include "coordinator/plan/equal_cases.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {
namespace {

using Choice = std::vector<size_t>;  // of each axis, the place of its value

// What is run, as bytes: all but the case's number and its values' spelling.
std::string Content(tutti::v1::Case plan_case) {
  plan_case.clear_index();
  plan_case.clear_values();
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // labels are a map
    plan_case.SerializeToCodedStream(&coded);
  }
  return bytes;
}

std::string InLine(const Position& position) {
  return position.line > 0 ? absl::StrCat(" (line ", position.line, ", column ", position.column, ")") : "";
}

std::vector<size_t> Differences(const Choice& a, const Choice& b) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) axes.push_back(i);
  }
  return axes;
}

std::string ValuePath(const MatrixAxis& axis, size_t place) {
  return absl::StrCat(JoinPath("matrix", axis.name), "[", place, "]");
}

void AddEqualValue(const MatrixAxis& axis, size_t first, size_t second, ErrorList& errors) {
  const Node& known = *axis.values[first];
  const Node& value = *axis.values[second];
  errors.Add(value.position, ValuePath(axis, second),
             absl::StrCat(Describe(value), " means the same as ", Describe(known), InLine(known.position),
                          ": each value once; for more trials use repeat"));
}

std::string Values(const std::vector<MatrixAxis>& axes, const Choice& choice,
                   const std::vector<size_t>& which) {
  std::string text;
  for (const size_t axis : which) {
    absl::StrAppend(&text, text.empty() ? "" : " ", axes[axis].name, "=",
                    ToFlowText(*axes[axis].values[choice[axis]]));
  }
  return text;
}

}  // namespace

void CheckDistinctCases(const tutti::v1::Plan& plan, const std::vector<MatrixAxis>& axes, ErrorList& errors) {
  std::unordered_map<std::string, size_t> first_with;
  std::string together;  // the first equality that takes several axes
  Position together_position;
  std::string together_path;
  for (int i = 0; i < plan.cases_size(); ++i) {
    const auto [known, added] = first_with.emplace(Content(plan.cases(i)), static_cast<size_t>(i));
    if (added) continue;
    const Choice first = CaseChoice(axes, known->second);
    const Choice second = CaseChoice(axes, static_cast<size_t>(i));
    const std::vector<size_t> differing = Differences(first, second);
    const MatrixAxis& axis = axes[differing[0]];
    const size_t place = second[differing[0]];
    if (differing.size() == 1) {
      AddEqualValue(axis, first[differing[0]], place, errors);
    } else if (together.empty()) {
      together_position = axis.values[place]->position;
      together_path = ValuePath(axis, place);
      together =
          absl::StrCat("the case ", Values(axes, second, differing), " is the same as the case ",
                       Values(axes, first, differing), ": change one of these values, or join the axes");
    }
  }
  if (errors.empty() && !together.empty()) errors.Add(together_position, together_path, together);
}

}  // namespace tutti::plan
