#include "coordinator/cli/worker_detail.h"

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/facts/number_ranges.h"
#include "common/units/units.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/cli/clock_table.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/clock_offset.h"
#include "coordinator/report/enum_name.h"

namespace tutti::cli {
namespace {

using tutti::v1::HostDevice;
using tutti::v1::HostFacts;
using tutti::v1::WorkerInfo;
using Rows = std::vector<std::vector<std::string>>;

// Left out where there is nothing to say.
void Add(Rows& rows, const std::string& label, const std::string& text) {
  if (!text.empty()) rows.push_back({label, text});
}

std::string Numbers(const google::protobuf::RepeatedField<uint32_t>& numbers) {
  return NumberRanges({numbers.begin(), numbers.end()});
}

void AddState(const WorkerInfo& worker, Rows& rows) {
  const bool known = worker.state() != WorkerInfo::STATE_UNSPECIFIED;
  Add(rows, "state", known ? report::EnumName(worker.state()) : "-");
  Add(rows, "reason", worker.state_reason());
  if (worker.state_since_unix_ns() != 0) Add(rows, "since", FormatInstant(worker.state_since_unix_ns()));
  Add(rows, "run", worker.run_id());
  if (worker.has_drain()) {
    const tutti::v1::DrainMark& drain = worker.drain();
    Add(rows, "draining",
        absl::StrCat("since ", FormatInstant(drain.since_unix_ns()), drain.user().empty() ? "" : " by ",
                     drain.user(), drain.reason().empty() ? "" : ": ", drain.reason()));
  }
}

void AddSession(const WorkerInfo& worker, Rows& rows) {
  Add(rows, "session from", worker.peer());
  Add(rows, "control address", worker.control_address());
  if (worker.has_last_heard_unix_ns()) Add(rows, "last heard", FormatInstant(worker.last_heard_unix_ns()));
  const std::map<std::string, std::string> labels(worker.labels().begin(), worker.labels().end());
  Add(rows, "labels", absl::StrJoin(labels, ",", absl::PairFormatter("=")));
}

void AddClock(const WorkerInfo& worker, Rows& rows) {
  if (!worker.has_clock_bound_ns()) return;
  Add(rows, "clock",
      absl::StrCat(report::FormatClockOffset(worker.clock_offset_ns()), " to within ",
                   FormatDuration(worker.clock_bound_ns()), ", ", ClockSourceName(worker.clock_source())));
  if (worker.has_clock_drift_ppm()) {
    Add(rows, "clock drift",
        absl::StrFormat("%+.3f +-%.3f ppm", worker.clock_drift_ppm(), worker.clock_drift_bound_ppm()));
  }
  if (worker.has_clock_round_trip_ns()) {
    Add(rows, "round trip", FormatDuration(worker.clock_round_trip_ns()));
  }
  if (worker.clock_restarts() > 0) Add(rows, "clock steps", absl::StrCat(worker.clock_restarts()));
}

void AddCpus(const HostFacts& facts, Rows& rows) {
  Add(rows, "CPU model", facts.cpu_model());
  if (!facts.online_cpus().empty()) {
    Add(rows, "CPUs",
        absl::StrCat(facts.online_cpus_size(), " online (", Numbers(facts.online_cpus()), "), ",
                     facts.allowed_cpus_size(), " for tutti"));
  }
  for (const tutti::v1::NumaNode& node : facts.numa_nodes()) {
    Add(rows, absl::StrCat("NUMA node ", node.id()), absl::StrCat("CPUs ", Numbers(node.cpus())));
  }
}

// Its addresses in this worker's network namespace, but for those that reach no further than the link.
std::vector<std::string> AddressesOf(const HostFacts& facts, const HostDevice& device) {
  std::vector<std::string> addresses;
  for (const tutti::v1::HostAddress& address : facts.addresses()) {
    if (address.device() != device.name() || address.loopback() || address.link_local()) continue;
    addresses.push_back(absl::StrCat(address.address(), "/", address.prefix_length()));
  }
  return addresses;
}

std::string Queues(const tutti::v1::DeviceChannels& channels) {
  if (channels.combined() > 0) return absl::StrCat(channels.combined(), " queues");
  return absl::StrCat(channels.rx(), " receive and ", channels.tx(), " send queues");
}

void AddDevices(const HostFacts& facts, Rows& rows) {
  for (const HostDevice& device : facts.devices()) {
    std::vector<std::string> parts = AddressesOf(facts, device);
    if (parts.empty() && !device.has_hardware()) continue;
    if (device.has_speed_bps()) parts.push_back(FormatRate(static_cast<double>(device.speed_bps())));
    parts.push_back(absl::StrCat("MTU ", device.mtu_bytes()));
    if (device.has_driver()) parts.push_back(device.driver());
    if (device.has_channels()) parts.push_back(Queues(device.channels()));
    if (!device.local_cpus().empty()) parts.push_back(absl::StrCat("CPUs ", Numbers(device.local_cpus())));
    Add(rows, absl::StrCat("device ", device.name()), absl::StrJoin(parts, ", "));
  }
}

}  // namespace

std::string RenderWorker(const WorkerInfo& worker) {
  const HostFacts& facts = worker.facts();
  Rows rows;
  Add(rows, "worker", worker.name());
  AddState(worker, rows);
  AddSession(worker, rows);
  AddClock(worker, rows);
  Add(rows, "kernel", facts.kernel_release());
  AddCpus(facts, rows);
  AddDevices(facts, rows);
  Add(rows, "tutti", facts.tutti_version());
  return AlignColumns(rows);
}

}  // namespace tutti::cli
