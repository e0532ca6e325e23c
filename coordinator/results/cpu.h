// Busy time of a machine from readings of its CPUs (design: busy = elapsed x online CPUs - idle - iowait -
// steal).
//
// On NO_HZ kernels the idle columns of /proc/stat are exact and the busy columns are samples of the tick: the
// former make the busy time, the latter only its shares. Source of the columns: proc(5); why:
// kernel/sched/cputime.c. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/v1/host.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// One tick of /proc/stat: USER_HZ is 100 on every architecture that Linux runs on today (proc(5)).
inline constexpr int64_t kTickNs = 10'000'000;

// CPUs may be sparse and come and go: a CPU counts while it is in two readings that follow each other. A
// counter that steps back counts as 0. cpuidle's residency replaces idle + iowait of a CPU where both agree
// within two ticks (residency is booked when an idle state is left, so it lags behind on a long idle).
// `machine` and `reader` are left to the caller.
//
// Readings that cannot be true give no figure: a result with elapsed_ns 0, and in `why` (unless null) a
// clause that says so. They do not move forward in time, have a CPU twice, have no CPU in common, or a column
// grew by more than twice the time that passed and a second.
tutti::v1::MachineResult CpuOver(const std::vector<const tutti::v1::CpuReading*>& readings,
                                 std::string* why = nullptr);

tutti::v1::MachineResult CpuBetween(const tutti::v1::CpuReading& begin, const tutti::v1::CpuReading& end,
                                    std::string* why = nullptr);

// A column that busy time is made of went back by more than a tick. Over many readings that counts as 0 and
// is little; between two that are all there is, it is time that would be taken for work.
bool IdleWentBack(const tutti::v1::CpuReading& begin, const tutti::v1::CpuReading& end);

}  // namespace tutti::results
