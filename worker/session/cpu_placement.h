// Which CPU each stream's thread is pinned to: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "tutti/v1/session.pb.h"
#include "tutti/v1/stream.pb.h"

namespace tutti::session {

struct CpuPlacement {
  std::optional<uint32_t> cpu;  // unset: not pinned
  // A choice that could not be met and is only marked, since the plan says best_effort.
  std::optional<v1::OptionOutcome> missed;
};

// The CPUs that serve the interrupts of a device, or why that is not known.
using InterruptCpus = absl::FunctionRef<absl::StatusOr<std::vector<uint32_t>>(const std::string& device)>;

// The stream's choice against the host's CPUs: the cpu_ordinal-th of the choice's CPUs, round robin. For
// `nic_local` and `avoid_irq` the device is the one that the stream is bound to, else the one that holds its
// local address. `with_rx` is not placed here: where its packets arrive shows only once they do.
//
// A list is taken as written: a CPU in it that does not exist, is offline or not allowed to this process is
// an error (FailedPrecondition). The CPUs of a node or near a device are those of them that are allowed, as
// are those that avoid a device's interrupts, of which those near it are taken alone if there are any; none
// is an error. With best_effort the error becomes `missed`.
absl::StatusOr<CpuPlacement> PlaceOnCpu(const v1::StreamEnd& stream, const v1::HostFacts& facts,
                                        InterruptCpus interrupt_cpus);

// The device that holds the address; empty: none. IPv6 link-local addresses carry it themselves
// ("fe80::1%eth0").
std::string DeviceOfAddress(const v1::HostFacts& facts, const std::string& address);

}  // namespace tutti::session
