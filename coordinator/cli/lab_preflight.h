// What the machine's limits forbid of a plan, told before a lab starts. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/lab/lab_limits.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// One message for each socket buffer size and side that cannot be had, with the cases that ask for it and the
// sysctl line. Cases whose entry says best_effort run, with the buffers that the kernel allows; the message
// says which is the case.
std::vector<std::string> ForbiddenBuffers(const tutti::v1::Plan& plan, const lab::BufferLimits& limits);

}  // namespace tutti::cli
