// Thresholds as words and as a comparison. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "tutti/v1/plan.pb.h"

namespace tutti::metrics {

struct Symbol {
  const char* text;  // ">="
  tutti::v1::Comparison comparison;
};
// Longer ones before those that they begin with.
const std::vector<Symbol>& Symbols();

bool Holds(tutti::v1::Comparison comparison, double value, double limit);
// Of several members or intervals the smallest decides, not the largest.
bool SmallestDecides(tutti::v1::Comparison comparison);

// ">= 9.4Gbps"
std::string LimitText(const tutti::v1::Threshold& threshold);

// "throughput.received >= 9.4Gbps", then in brackets what is not the usual: "(entry bulk, each stream, worst
// interval, warning only)", "(aborts after 5s)".
std::string ThresholdText(const tutti::v1::Threshold& threshold);

}  // namespace tutti::metrics
