// The matrix: axes, and the cases that they span. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/substitution.h"
#include "coordinator/plan/yaml_node.h"

namespace tutti::plan {

struct MatrixAxis {
  std::string name;
  std::vector<NodePtr> values;  // not empty; one broken node where the plan's axis is wrong
};

// The axes of `root`'s matrix in the order of the file; none without a matrix. Adds errors: no list, an empty
// one, a value without content, a value twice, references to other axes, a wrong name, an axis that no value
// refers to.
std::vector<MatrixAxis> ReadMatrix(const Node& root, ErrorList& errors);

// The product of the axes' lengths; saturates at SIZE_MAX. 1 without axes.
size_t CountCases(const std::vector<MatrixAxis>& axes);

// The value of each axis (by its index) in case `index`: the first axis is the slowest.
std::vector<size_t> CaseChoice(const std::vector<MatrixAxis>& axes, size_t index);
// The same as values.
AxisValues CaseValues(const std::vector<MatrixAxis>& axes, size_t index);

}  // namespace tutti::plan
