// Which CPUs the machine has, which of them this process may use, and how they hang together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// "model name" of /proc/cpuinfo, or what other architectures write there; empty where it has none.
std::string CpuModelOf(std::string_view cpuinfo);

// Fills cpu_model, online_cpus, allowed_cpus and numa_nodes. What the kernel does not show is in `missing`;
// CPUs that are online come from /sys, else from /proc/stat.
void FillCpuFacts(const KernelRoots& roots, v1::HostFacts* facts);

// The CPUs near a device, by its place on a bus ("pci", "0000:01:00.0"): local_cpulist of it or of its
// nearest parent that has one. By bus and not by /sys/class/net, which shows the namespace in which sysfs was
// mounted. Empty: not known.
std::vector<uint32_t> LocalCpusOf(const KernelRoots& roots, const std::string& bus, const std::string& name);

}  // namespace tutti::observe
