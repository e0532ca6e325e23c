// Which CPUs serve a device's interrupts. irqbalance may move them at any time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/observe/cpu_reader.h"

namespace tutti::observe {

// The CPUs, ascending, to which each of the device's interrupts goes, in the order of their numbers; those
// that nobody has asked for yet are left out. The device by its place on a bus ("pci", "0000:01:00.0"); its
// interrupts are those that msi_irqs of it or of its nearest parent lists, else its one `irq`
// (Documentation/ABI/testing/sysfs-bus-pci), each with its effective_affinity_list, or before Linux 4.14
// its smp_affinity_list (Documentation/core-api/irq/irq-affinity.rst).
//
// NotFound: it has none, as a device without hardware, or the kernel does not show them.
absl::StatusOr<std::vector<std::vector<uint32_t>>> InterruptAffinitiesOf(const KernelRoots& roots,
                                                                         const std::string& bus,
                                                                         const std::string& name);

// The CPUs to which any of them goes, ascending. Errors likewise.
absl::StatusOr<std::vector<uint32_t>> InterruptCpusOf(const KernelRoots& roots, const std::string& bus,
                                                      const std::string& name);

}  // namespace tutti::observe
