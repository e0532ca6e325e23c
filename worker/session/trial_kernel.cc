#include "worker/session/trial_kernel.h"

#include <unistd.h>

#include <utility>

#include "common/status/macros.h"
#include "worker/observe/interrupts.h"
#include "worker/observe/links.h"
#include "worker/observe/qdiscs.h"

namespace tutti::session {
namespace {

// Up to here every edge is read with cpuidle residency (a file per CPU and state); larger machines get it at
// the window's edges only, so that the reading does not load what it measures.
constexpr long kCpusReadFinelyAtEveryEdge = 16;

}  // namespace

absl::StatusOr<std::unique_ptr<SystemTrialKernel>> SystemTrialKernel::Open(const observe::KernelRoots& roots,
                                                                           const Clock& clock) {
  TUTTI_ASSIGN_OR_RETURN(auto cpu, observe::CpuReader::Open(roots, clock));
  TUTTI_ASSIGN_OR_RETURN(auto udp, observe::UdpCounterReader::Open());
  TUTTI_ASSIGN_OR_RETURN(auto softnet, observe::SoftnetReader::Open());
  return std::unique_ptr<SystemTrialKernel>(
      new SystemTrialKernel(roots, clock, std::move(cpu), std::move(udp), std::move(softnet)));
}

absl::StatusOr<std::unique_ptr<load::LoadTrial>> SystemTrialKernel::PrepareLoad(
    std::vector<load::StreamConfig> streams, load::TrialTiming timing) {
  return load::LoadTrial::Prepare(std::move(streams), timing, clock_);
}

absl::StatusOr<v1::CpuReading> SystemTrialKernel::ReadCpu(bool whole_window) {
  const bool fine = whole_window || sysconf(_SC_NPROCESSORS_ONLN) <= kCpusReadFinelyAtEveryEdge;
  return cpu_->Read(fine ? observe::CpuReader::Idle::kWithResidency : observe::CpuReader::Idle::kStatOnly);
}

absl::StatusOr<v1::UdpCounters> SystemTrialKernel::ReadUdp() { return udp_->Read(); }

absl::StatusOr<std::vector<v1::DeviceCounters>> SystemTrialKernel::ReadDevices() {
  return observe::ReadDeviceCounters();
}

absl::StatusOr<std::vector<v1::QdiscCounters>> SystemTrialKernel::ReadQdiscs() {
  return observe::ReadQdiscCounters();
}

absl::StatusOr<v1::SoftnetCounters> SystemTrialKernel::ReadSoftnet() { return softnet_->Read(); }

absl::StatusOr<observe::Route> SystemTrialKernel::LookupRoute(const std::string& source,
                                                              const std::string& destination,
                                                              const std::string& bound_device) {
  return observe::LookupRoute(source, destination, bound_device);
}

absl::StatusOr<std::vector<uint32_t>> SystemTrialKernel::InterruptCpus(const std::string& device) {
  TUTTI_ASSIGN_OR_RETURN(const std::vector<observe::Link> links, observe::ListLinks());
  for (const observe::Link& link : links) {
    if (link.name == device) return observe::InterruptCpusOf(roots_, link.parent_bus, link.parent_name);
  }
  return absl::NotFoundError("there is no such device");
}

}  // namespace tutti::session
