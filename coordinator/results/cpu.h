// Busy time of a machine from two readings of its CPUs (design: busy = elapsed x online CPUs - idle - iowait - steal).
#pragma once

#include "tutti/v1/host.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// Pure. CPUs may be sparse and come and go; a counter that steps back counts as 0. `machine` and `reader` are left to
// the caller. Source of the columns: proc(5); why idle is exact and busy is not: kernel/sched/cputime.c, NO_HZ.
tutti::v1::MachineResult CpuBetween(const tutti::v1::CpuReading& begin, const tutti::v1::CpuReading& end);

}  // namespace tutti::results
