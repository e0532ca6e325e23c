// The file that a lab that stays up is found by: text, one "key value" per line, written at once under a
// lock.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/lab/lab_registry.h"

namespace tutti::lab {

std::string FormatRecord(const LabRecord& record);

// InvalidArgument for anything but what FormatRecord makes.
absl::StatusOr<LabRecord> ParseRecord(const std::string& text);

// Letters, digits, '-', '_' and '.', not at the beginning, at most 64; InvalidArgument says so.
absl::Status CheckLabName(const std::string& name);

}  // namespace tutti::lab
