// How the kernel chooses the frequency of the CPUs.
#pragma once

#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// Fills frequency_driver and governors from /sys/devices/system/cpu/cpufreq/policyN
// (Documentation/admin-guide/pm/ cpufreq.rst), two files per policy, of which a machine has one per CPU at
// most; and turbo from intel_pstate/no_turbo (Documentation/admin-guide/pm/intel_pstate.rst), else
// cpufreq/boost. What is not known is in `missing`: a virtual machine mostly has none of them.
void FillCpuFrequency(const KernelRoots& roots, v1::HostFacts* facts);

}  // namespace tutti::observe
