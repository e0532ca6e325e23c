// The runs that a coordinator keeps, as a table. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>

#include "tutti/v1/store.pb.h"

namespace tutti::cli {

// One line each: id, status, exit code, plan, user, when it was submitted, how long it ran, labels. What is
// not known is
// "-". Ends with how to get the next page, if there is one.
std::string RenderRuns(const tutti::v1::ListRunsResponse& runs);

}  // namespace tutti::cli
