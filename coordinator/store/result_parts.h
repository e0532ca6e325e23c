// A result without its large parts, which are stored on their own. Pure; thread-safe.
#pragma once

#include "tutti/v1/result.pb.h"

namespace tutti::store {

// Without the cases. Costs nothing for what is left out.
tutti::v1::Result HeadOf(const tutti::v1::Result& result);

// Without the trials.
tutti::v1::CaseResult SummaryOf(const tutti::v1::CaseResult& result);

}  // namespace tutti::store
