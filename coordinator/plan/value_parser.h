// Single values of a plan: what a node says, in base units, or why it says nothing. Pure; thread-safe.
//
// Every error is InvalidArgument, with a message that follows a path: "is not ...: write ...".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

struct CountValue {
  bool all = false;
  uint32_t count = 0;
};

struct StreamRate {
  uint64_t value = 0;
  bool in_messages = false;  // messages per second, not bps
};

// Integers, sizes and durations within the spec's bounds, in base units.
absl::StatusOr<uint64_t> ParseNumber(const Node& node, const ValueSpec& spec);
// bps within the spec's bounds, or messages per second.
absl::StatusOr<StreamRate> ParseStreamRate(const Node& node, const ValueSpec& spec);
absl::StatusOr<double> ParseRatio(const Node& node);
absl::StatusOr<bool> ParseBool(const Node& node);
absl::StatusOr<CountValue> ParseCount(const Node& node, const ValueSpec& spec);
// Unset: `default`.
absl::StatusOr<std::optional<uint64_t>> ParseBuffer(const Node& node, const ValueSpec& spec);
absl::StatusOr<tutti::v1::CpuChoice> ParseCpus(const Node& node, const ValueSpec& spec);
absl::StatusOr<tutti::v1::PortRange> ParsePorts(const Node& node);
// "ports 5201-5203 are 3", "port 5201 is one".
std::string DescribePorts(const tutti::v1::PortRange& range);
// A CIDR in its shortest form, or an interface.
absl::StatusOr<std::string> ParseNetwork(const Node& node);
// kWord, kName, kText, kHostName.
absl::StatusOr<std::string> ParseText(const Node& node, const ValueSpec& spec);

// Whether a node that is no map and no list of values is what the spec wants.
absl::Status CheckScalarValue(const Node& node, const ValueSpec& spec);

}  // namespace tutti::plan
