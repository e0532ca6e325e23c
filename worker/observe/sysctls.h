// The sysctls that change what a network test measures.
#pragma once

#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// Fills sysctls from /proc/sys, one file each, by the table in sysctls.cc; below /proc/sys/net the kernel
// shows those of the calling thread's network namespace. What does not exist there, because the kernel is
// older or newer or shows it only in the first namespace, is in `missing`.
void FillSysctls(const KernelRoots& roots, v1::HostFacts* facts);

}  // namespace tutti::observe
