// How the kernel was started and what it chose for this machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tutti/v1/host.pb.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// "madvise" of "always [madvise] never", the kernel's way to show a choice; unset if none is in brackets.
std::optional<std::string> ChosenOf(std::string_view text);

// Fills kernel_command_line, mitigations, clock_source, available_clock_sources and transparent_hugepages,
// or says in `missing` why they are not known. About 25 files.
void FillKernelSettings(const KernelRoots& roots, v1::HostFacts* facts);

}  // namespace tutti::observe
