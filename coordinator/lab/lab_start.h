// The starter's side of a lab, for lab.cc and the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/lab/lab.h"

namespace tutti::lab {

// Lab::Start, with a file descriptor that the supervisor keeps open as long as it lives (-1: none).
absl::StatusOr<std::unique_ptr<Lab>> StartLab(const LabOptions& options, int hold_fd);

// Waits until the processes are gone, zombies counting as gone; false after `timeout_ns`.
bool AwaitGone(const std::vector<int>& pids, int64_t timeout_ns);

}  // namespace tutti::lab
