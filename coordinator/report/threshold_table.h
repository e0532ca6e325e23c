// The outcomes of a plan's thresholds as text. Pure; thread-safe.
#pragma once

#include <string>

#include "coordinator/report/report.h"
#include "tutti/v1/result.pb.h"

namespace tutti::report {

// The figure that decides, as a plan writes it ("9.3962Gbps"); "-" where it is not known.
std::string ThresholdFigure(const tutti::v1::ThresholdOutcome& outcome);

// "thresholds" and a line for each outcome: passed, FAILED or warning, with the figure that decides and whose
// it is, or why there is none. Empty where the plan has no thresholds.
std::string ThresholdTable(const tutti::v1::Result& result, const Style& style);

}  // namespace tutti::report
