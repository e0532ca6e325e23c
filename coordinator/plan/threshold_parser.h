// The values of a threshold. Pure; thread-safe. Errors as value_parser.h has them.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/metrics/metric.h"
#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

struct Expected {
  const metrics::Metric* metric = nullptr;
  tutti::v1::Comparison comparison = tutti::v1::COMPARISON_UNSPECIFIED;
  double limit = 0;  // in the metric's unit
};
// "throughput.received >= 9.4Gbps"
absl::StatusOr<Expected> ParseExpected(const Node& node);

struct Scope {
  tutti::v1::ThresholdScope scope = tutti::v1::THRESHOLD_SCOPE_TOTAL;
  std::string member;  // the role or host that is named
};
// total | role:NAME | host | host:NAME | pair | stream
absl::StatusOr<Scope> ParseScope(const Node& node);

}  // namespace tutti::plan
