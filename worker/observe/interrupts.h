// Which CPUs serve a device's interrupts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// The CPUs to which the interrupts of the device go, by its place on a bus ("pci", "0000:01:00.0"), ascending:
// those that msi_irqs of it or of its nearest parent lists, else its one `irq`
// (Documentation/ABI/testing/sysfs-bus-pci), each with its effective_affinity_list, or before Linux 4.14 its
// smp_affinity_list (Documentation/core-api/irq/irq-affinity.rst). irqbalance may move them at any time.
//
// NotFound: it has none, as a device without hardware, or the kernel does not show them.
absl::StatusOr<std::vector<uint32_t>> InterruptCpusOf(const KernelRoots& roots, const std::string& bus,
                                                      const std::string& name);

}  // namespace tutti::observe
