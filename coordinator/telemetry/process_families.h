// How the coordinator's process itself is, under the names that every Prometheus client uses
// (prometheus.io/docs/instrumenting/writing_clientlibs, process metrics).
#pragma once

#include <cstdint>
#include <string>

#include "coordinator/telemetry/samples.h"

namespace tutti::telemetry {

// Reads /proc/self; what cannot be read has no sample. Thread-safe.
Families ProcessFamilies(int64_t started_unix_ns);

// Adds up the regular files of `folder`, not of folders in it: what the store takes on its disk. No sample
// where the folder is empty text or cannot be read. Thread-safe.
Families StateFolderFamilies(const std::string& folder);

}  // namespace tutti::telemetry
