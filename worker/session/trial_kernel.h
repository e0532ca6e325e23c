// What a trial takes from the host: the load itself and the kernel's figures beside it. Faked in tests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/time/clock.h"
#include "tutti/v1/host.pb.h"
#include "worker/load/load_trial.h"
#include "worker/observe/cpu_reader.h"
#include "worker/observe/route_lookup.h"
#include "worker/observe/softnet.h"
#include "worker/observe/udp_counters.h"

namespace tutti::session {

// Thread-safe.
class TrialKernel {
 public:
  virtual ~TrialKernel() = default;

  virtual absl::StatusOr<std::unique_ptr<load::LoadTrial>> PrepareLoad(
      std::vector<load::StreamConfig> streams, load::TrialTiming timing) = 0;
  // `whole_window`: the first or last edge, whose reading may cost a little more and be finer.
  virtual absl::StatusOr<v1::CpuReading> ReadCpu(bool whole_window) = 0;
  virtual absl::StatusOr<v1::UdpCounters> ReadUdp() = 0;
  virtual absl::StatusOr<std::vector<v1::DeviceCounters>> ReadDevices() = 0;
  virtual absl::StatusOr<std::vector<v1::QdiscCounters>> ReadQdiscs() = 0;
  virtual absl::StatusOr<v1::SoftnetCounters> ReadSoftnet() = 0;
  virtual absl::StatusOr<observe::Route> LookupRoute(const std::string& source,
                                                     const std::string& destination,
                                                     const std::string& bound_device) = 0;
  // The CPUs that serve the device's interrupts now; NotFound where it has none.
  virtual absl::StatusOr<std::vector<uint32_t>> InterruptCpus(const std::string& device) = 0;
};

// This host's kernel, in the network namespace of the thread that opens it.
class SystemTrialKernel final : public TrialKernel {
 public:
  // `clock` outlives the kernel.
  static absl::StatusOr<std::unique_ptr<SystemTrialKernel>> Open(const observe::KernelRoots& roots,
                                                                 const Clock& clock);

  absl::StatusOr<std::unique_ptr<load::LoadTrial>> PrepareLoad(std::vector<load::StreamConfig> streams,
                                                               load::TrialTiming timing) override;
  absl::StatusOr<v1::CpuReading> ReadCpu(bool whole_window) override;
  absl::StatusOr<v1::UdpCounters> ReadUdp() override;
  absl::StatusOr<std::vector<v1::DeviceCounters>> ReadDevices() override;
  absl::StatusOr<std::vector<v1::QdiscCounters>> ReadQdiscs() override;
  absl::StatusOr<v1::SoftnetCounters> ReadSoftnet() override;
  absl::StatusOr<observe::Route> LookupRoute(const std::string& source, const std::string& destination,
                                             const std::string& bound_device) override;
  absl::StatusOr<std::vector<uint32_t>> InterruptCpus(const std::string& device) override;

 private:
  SystemTrialKernel(const observe::KernelRoots& roots, const Clock& clock,
                    std::unique_ptr<observe::CpuReader> cpu, std::unique_ptr<observe::UdpCounterReader> udp,
                    std::unique_ptr<observe::SoftnetReader> softnet)
      : roots_(roots),
        clock_(clock),
        cpu_(std::move(cpu)),
        udp_(std::move(udp)),
        softnet_(std::move(softnet)) {}

  const observe::KernelRoots roots_;
  const Clock& clock_;
  const std::unique_ptr<observe::CpuReader> cpu_;
  const std::unique_ptr<observe::UdpCounterReader> udp_;
  const std::unique_ptr<observe::SoftnetReader> softnet_;
};

}  // namespace tutti::session
