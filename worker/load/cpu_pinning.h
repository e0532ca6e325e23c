// Which CPUs threads may run on, and pinning the calling one.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tutti::load {

// Pins the calling thread to `cpu` and reads it back. On failure the message lists the CPUs that are allowed.
absl::Status PinThisThread(uint32_t cpu);
// The same for another thread of this process, which lives until this returns.
absl::Status PinThread(pthread_t thread, uint32_t cpu);

// How many CPUs the calling thread may use; at least 1.
size_t AllowedCpuCount();

// Their numbers; CPU 0 if the kernel does not say.
std::vector<uint32_t> AllowedCpus();

// "0-3,6".
std::string AllowedCpuList();

}  // namespace tutti::load
