// A result without its large parts, which are stored on their own. Pure; thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>

#include "tutti/v1/result.pb.h"

namespace tutti::store {

// Without the cases. Costs nothing for what is left out.
tutti::v1::Result HeadOf(const tutti::v1::Result& result);

// Without the trials.
tutti::v1::CaseResult SummaryOf(const tutti::v1::CaseResult& result);

// Whether a field of a result, or of a message within it, has something for each interval of a trial: the
// timeline, series, counts by interval or cohort.
bool IsOfIntervals(const google::protobuf::FieldDescriptor& field);

// Without these fields, and marked (`intervals_left_out`). Costs nothing for what is left out.
tutti::v1::Result WithoutIntervals(const tutti::v1::Result& result);

}  // namespace tutti::store
