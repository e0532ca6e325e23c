// The CPU lines of /proc/stat (Documentation/filesystems/proc.rst, "Miscellaneous kernel statistics").
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"

namespace tutti::observe {

// One CpuTimes per "cpuN" line, by id; ids may be sparse, their number is not limited, the sum line "cpu" is
// left out. `ticks_per_second` is USER_HZ (sysconf(_SC_CLK_TCK)). Columns that an old kernel does not have
// (everything after idle) stay 0; a line with fewer than user, nice, system and idle, a number that is none,
// a CPU twice, or a text without any CPU is InvalidArgument. Cumulative values are passed on as they are,
// also where they step back.
absl::StatusOr<v1::CpuReading> ParseProcStat(std::string_view text, int64_t ticks_per_second);

// Whether the text, perhaps cut off, has all of its CPU lines: they come first.
bool HasAllCpuLines(std::string_view text);

}  // namespace tutti::observe
