// Packages, cores and threads of the machine.
#pragma once

#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// Fills cpu_packages for `facts->online_cpus` from /sys/devices/system/cpu/cpuN/topology
// (Documentation/admin-guide/cputopology.rst), two files per CPU, or says in `missing` why it is not known.
// All CPUs or none: half a topology would pass for a smaller machine.
void FillCpuTopology(const KernelRoots& roots, v1::HostFacts* facts);

}  // namespace tutti::observe
