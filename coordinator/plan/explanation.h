// Where each value of a plan comes from: its text, the matrix, a --set, or the language's defaults. Pure;
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

enum class ValueOrigin { kPlan, kAxis, kOverride, kDefault };

// "plan", "axis", "set", "default".
const char* OriginName(ValueOrigin origin);

struct ExplainedValue {
  std::string path;   // as --set takes it: "traffic[0].socket_buffer.send"
  std::string value;  // as it is written; of a default what it comes to in this case: "1472B", "the kernel's"
  ValueOrigin origin = ValueOrigin::kDefault;
  Position position;                // where it is written, of kAxis in the matrix; nowhere: kDefault
  std::vector<std::string> axes;    // of kAxis: through which the value comes
  std::vector<std::string> fields;  // of tutti.v1.Case that it decides: "traffic[0].ways.send"

  bool operator==(const ExplainedValue&) const = default;
};

struct ExplainedCase {
  uint32_t index = 0;
  std::vector<ExplainedValue> values;  // in the order of the language
};

// Every field of every case that is set is in the `fields` of a value, but for a case's index. `plan` is what
// LoadPlan of this very program has made of a valid text: its source and overrides are read again. A key that
// is left out and has no default has no value.
std::vector<ExplainedCase> ExplainPlan(const tutti::v1::Plan& plan);

// Those that all of `cases` have in common, in their order in the first one.
std::vector<ExplainedValue> SharedValues(const std::vector<ExplainedCase>& cases);

// "plan.yaml:12:5", "axis streams, plan.yaml:8:14", "axis streams, --set matrix.streams=[4]",
// "--set timing.measure=2s", "default".
std::string OriginText(const ExplainedValue& value, std::string_view source_name);

}  // namespace tutti::plan
