// How an earlier reading of a plan differs from that of this tutti, which may have other defaults or other
// names for them. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// "modified: cases[0].repeat: 1 -> 2"; the first few of them, printable. Empty: they are the same.
std::vector<std::string> PlanDifferences(const tutti::v1::Plan& earlier, const tutti::v1::Plan& now);

}  // namespace tutti::cli
