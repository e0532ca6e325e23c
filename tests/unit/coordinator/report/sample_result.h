// A result written by hand, whose figures can be checked by eye against the golden files.
#pragma once

#include "tutti/v1/result.pb.h"

namespace tutti::report {

// Three cases of UDP and TCP: good over three trials on machines of their own; good on one shared machine;
// partial.
tutti::v1::Result SampleResult();

}  // namespace tutti::report
