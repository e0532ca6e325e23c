// The checks of credibility.h whose witness is a network device: its byte counters, and its link's speed.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "coordinator/results/credibility.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using HostDevice = std::pair<const HostSeries*, std::string>;

constexpr char kLoopback[] = "lo";
// What a receive buffer may hold if its size was left to the kernel (net.ipv4.tcp_rmem's usual maximum).
constexpr uint64_t kUsualBufferBytes = 6 << 20;
// Clocks of NICs and of hosts differ by up to 100 ppm each (IEEE 802.3); rates are rounded.
constexpr double kSpeedTolerance = 1.001;

// The device that the stream left by; empty: not known.
std::string EgressOf(const StreamView& stream) {
  const v1::StreamReport& sender = *stream.sender->report;
  if (!sender.egress_device().empty()) return sender.egress_device();
  // An address of the same machine is reached by loopback, whichever device holds it.
  if (stream.from->input->machine == stream.to->input->machine) return "";
  return stream.flow->from_device();
}

std::string IngressOf(const StreamView& stream) {
  std::string egress = EgressOf(stream);
  if (egress.empty() || egress == kLoopback) return egress;
  return stream.flow->to_device();
}

bool BothReported(const StreamView& stream) {
  return stream.sender != nullptr && stream.receiver != nullptr && stream.sender->report != nullptr &&
         stream.receiver->report != nullptr;
}

// After - before of a device's counter; nullopt: the device was not read, or its counter stepped back.
std::optional<uint64_t> Carried(const HostSeries& host, const std::string& device,
                                uint64_t (v1::DeviceCounters::*counter)() const) {
  if (!host.input->report.has_value()) return std::nullopt;
  std::optional<uint64_t> before;
  std::optional<uint64_t> after;
  for (const v1::DeviceCounters& counters : host.input->report->devices_begin()) {
    if (counters.device() == device) before = (counters.*counter)();
  }
  for (const v1::DeviceCounters& counters : host.input->report->devices_end()) {
    if (counters.device() == device) after = (counters.*counter)();
  }
  if (!before.has_value() || !after.has_value() || *after < *before) return std::nullopt;
  return *after - *before;
}

const v1::HostDevice* FindDevice(const TrialInput& trial, const std::string& host,
                                 const std::string& device) {
  for (const v1::Host& known : trial.all_hosts) {
    if (known.name() != host) continue;
    for (const v1::HostDevice& candidate : known.facts().devices()) {
      if (candidate.name() == device) return &candidate;
    }
  }
  return nullptr;
}

void Judge(const std::map<HostDevice, uint64_t>& payload, const char* verb,
           uint64_t (v1::DeviceCounters::*counter)() const, std::vector<std::string>& findings) {
  std::vector<std::string> found;
  for (const auto& [place, bytes] : payload) {
    const auto& [host, device] = place;
    const std::optional<uint64_t> carried = Carried(*host, device, counter);
    if (!carried.has_value() || *carried >= bytes) continue;
    found.push_back(absl::StrCat("host ", host->input->host, ": device ", device, " ", verb, " ", *carried,
                                 " B in the whole trial, less than the payload of its streams, ", bytes,
                                 " B"));
  }
  std::sort(found.begin(), found.end());  // the map is ordered by address
  findings.insert(findings.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> DeviceCountFallsShort(const TrialView& trial) {
  std::map<HostDevice, uint64_t> arrived;
  std::map<HostDevice, uint64_t> left;
  for (const StreamView& stream : trial.streams) {
    if (!BothReported(stream)) continue;
    const uint64_t received = stream.receiver->report->total_bytes();
    const std::string egress = EgressOf(stream);
    const std::string ingress = IngressOf(stream);
    // What was received has left for certain; what a sender's kernel accepted may have been dropped before
    // the device.
    if (!egress.empty()) left[{stream.from, egress}] += received;
    if (!ingress.empty()) arrived[{stream.to, ingress}] += received;
  }
  std::vector<std::string> findings;
  Judge(left, "sent", &v1::DeviceCounters::tx_bytes, findings);
  Judge(arrived, "received", &v1::DeviceCounters::rx_bytes, findings);
  return findings;
}

std::vector<std::string> FasterThanLink(const TrialView& trial) {
  struct Load {
    uint64_t bytes = 0;
    uint64_t buffered = 0;
    uint64_t speed_bps = 0;
  };
  std::map<HostDevice, Load> loads;
  for (const StreamView& stream : trial.streams) {
    if (!BothReported(stream) || !stream.receiver->bytes.has_value() || stream.traffic == nullptr) continue;
    const std::string egress = EgressOf(stream);
    const std::string ingress = IngressOf(stream);
    const v1::HostDevice* from = FindDevice(*trial.input, stream.flow->from_host(), egress);
    const v1::HostDevice* to = FindDevice(*trial.input, stream.flow->to_host(), ingress);
    if (from == nullptr || to == nullptr || !from->has_hardware() || !to->has_hardware()) continue;
    if (!to->has_speed_bps() || to->speed_bps() == 0) continue;
    Load& load = loads[{stream.to, ingress}];
    load.bytes += *stream.receiver->bytes;
    load.buffered += std::max<uint64_t>(kUsualBufferBytes, 2 * stream.traffic->receive_buffer_bytes());
    load.speed_bps = to->speed_bps();
  }
  std::vector<std::string> findings;
  for (const auto& [place, load] : loads) {
    const auto& [host, device] = place;
    const double seconds = static_cast<double>(host->elapsed_ns() + host->edge_error_ns) / 1e9;
    const double possible = static_cast<double>(load.speed_bps) / 8 * seconds * kSpeedTolerance;
    if (static_cast<double>(load.bytes) <= possible + static_cast<double>(load.buffered)) continue;
    findings.push_back(absl::StrCat(
        "host ", host->input->host, ": ", load.bytes, " B were received by device ", device, " in ", seconds,
        " s, more than its link of ", load.speed_bps / 1'000'000, " Mbps carries"));
  }
  std::sort(findings.begin(), findings.end());
  return findings;
}

}  // namespace tutti::results
