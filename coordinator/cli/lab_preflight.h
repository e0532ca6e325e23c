// What stands between a plan and a lab, told before the lab starts. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "coordinator/lab/host_labels.h"
#include "coordinator/lab/lab_limits.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// One message for each socket buffer size and side that cannot be had, with the cases that ask for it and the
// sysctl line. Cases whose entry says best_effort run, with the buffers that the kernel allows; the message
// says which is the case.
std::vector<std::string> ForbiddenBuffers(const tutti::v1::Plan& plan, const lab::BufferLimits& limits);

// Whether `hosts` lab hosts are as many as the plan needs, and no more than a lab has. FailedPrecondition
// says which option would do.
absl::Status CheckHostCount(const tutti::v1::Plan& plan, int hosts);

// Whether a lab of these hosts can hold the plan: enough of them, hosts for the names and labels of its
// roles, addresses and ports for its streams. FailedPrecondition, as the coordinator would find it.
absl::Status CheckFitsLab(const tutti::v1::Plan& plan, int hosts, const lab::HostLabels& labels);

}  // namespace tutti::cli
