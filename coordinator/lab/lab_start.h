// The starter's side of a lab, for lab.cc and the registry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/lab/lab.h"

namespace tutti::lab {

// The locked record of a lab that stays up; the supervisor keeps it open and removes it at its end.
struct HeldRecord {
  int fd = -1;  // -1: none
  std::string path;
};

// Lab::Start for a lab with a record.
absl::StatusOr<std::unique_ptr<Lab>> StartLab(const LabOptions& options, const HeldRecord& record);

// Waits until the processes are gone, zombies counting as gone; false after `timeout_ns`.
bool AwaitGone(const std::vector<int>& pids, int64_t timeout_ns);

}  // namespace tutti::lab
