#include "coordinator/results/machine_cpu.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/stats/background.h"
#include "coordinator/results/cpu.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

bool HasReading(const v1::EdgeSample* edge) { return edge != nullptr && edge->cpu().cpus_size() > 0; }

std::string MachineOf(const TrialView& trial, const std::string& host) {
  if (const HostSeries* series = trial.FindHost(host)) return series->input->machine;
  for (const v1::Host& known : trial.input->all_hosts) {
    if (known.name() == host) return known.machine();
  }
  return "";
}

const v1::TrafficEntry* FindEntry(const v1::Case& plan_case, const std::string& name) {
  for (const v1::TrafficEntry& entry : plan_case.traffic()) {
    if (entry.name() == name) return &entry;
  }
  return nullptr;
}

std::set<std::string> MachinesOfRole(const TrialView& trial, const std::string& role) {
  std::set<std::string> machines;
  const auto found = trial.input->roles.find(role);
  if (found == trial.input->roles.end()) return machines;
  for (const std::string& host : found->second) machines.insert(MachineOf(trial, host));
  return machines;
}

bool Meet(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& machine) { return b.count(machine) > 0; });
}

// The machines of one direction of an entry.
struct Sides {
  std::string sender_role;
  std::string receiver_role;
  std::set<std::string> senders;
  std::set<std::string> receivers;
};

Sides SidesOf(const EntryFlow& flow, const v1::TrafficEntry* entry, const TrialView& trial) {
  Sides sides;
  if (entry != nullptr) {
    sides.sender_role = flow.reverse ? entry->to() : entry->from();
    sides.receiver_role = flow.reverse ? entry->from() : entry->to();
    if (sides.receiver_role.empty()) sides.receiver_role = sides.sender_role;  // a ring has one role
    if (sides.sender_role.empty()) sides.sender_role = sides.receiver_role;
    sides.senders = MachinesOfRole(trial, sides.sender_role);
    sides.receivers = MachinesOfRole(trial, sides.receiver_role);
  }
  for (const StreamView& stream : trial.streams) {
    if (stream.flow->entry() != flow.entry || stream.flow->reverse() != flow.reverse) continue;
    sides.senders.insert(MachineOf(trial, stream.flow->from_host()));
    sides.receivers.insert(MachineOf(trial, stream.flow->to_host()));
  }
  return sides;
}

// Another entry whose roles have one of these machines; empty: none.
std::string OtherEntryOn(const std::set<std::string>& machines, const EntryFlow& flow,
                         const TrialView& trial) {
  for (const v1::TrafficEntry& other : trial.input->plan_case.traffic()) {
    if (other.name() == flow.entry) continue;
    for (const std::string& role : {other.from(), other.to()}) {
      if (!role.empty() && Meet(machines, MachinesOfRole(trial, role))) return other.name();
    }
  }
  return "";
}

std::string OtherRoleOn(const std::set<std::string>& machines, const std::string& own,
                        const TrialView& trial) {
  for (const auto& [role, hosts] : trial.input->roles) {
    if (role != own && Meet(machines, MachinesOfRole(trial, role))) return role;
  }
  return "";
}

// Why the CPU of these machines is not that of one direction of one entry alone; empty: it is.
std::string NotAlone(const std::set<std::string>& machines, const EntryFlow& flow,
                     const v1::TrafficEntry* entry, const TrialView& trial) {
  const std::string other = OtherEntryOn(machines, flow, trial);
  if (!other.empty()) return absl::StrCat("its machines also carry the entry ", other);
  if (entry != nullptr && entry->both_ways()) return "its machines send and receive in both directions";
  return "";
}

v1::CpuUse Use(const std::set<std::string>& names, const std::vector<v1::MachineResult>& machines) {
  v1::CpuUse use;
  double busy = 0;
  double cpus = 0;
  double worst = -1;
  size_t known = 0;
  for (const v1::MachineResult& machine : machines) {
    if (names.count(machine.machine()) == 0) continue;
    ++known;
    busy += machine.cores_busy();
    cpus += machine.cpus();
    if (machine.busy_ratio() > worst) {
      worst = machine.busy_ratio();
      use.set_worst_machine(machine.machine());
    }
  }
  use.set_cpus(static_cast<uint32_t>(std::lround(cpus)));
  if (known == 0 || known < names.size()) {
    use.clear_worst_machine();
    use.set_service_demand_note("the CPU of one of its machines was not read");
    return use;
  }
  use.set_cores_busy(busy);
  if (cpus > 0) use.set_busy_ratio(std::min(1.0, busy / cpus));
  use.set_worst_machine_ratio(worst);
  return use;
}

void SetServiceDemand(const std::string& why_not, const EntryFlow& flow, const std::optional<double>& bps,
                      v1::CpuUse& use) {
  if (!use.has_cores_busy()) return;
  if (!why_not.empty()) {
    use.set_service_demand_note(why_not);
  } else if (flow.exchanges) {
    use.set_service_demand_note("request/response has CPU per transaction instead, see --detail");
    if (flow.transactions_per_s.value_or(0) > 0) {
      use.set_service_demand_us_per_transaction(use.cores_busy() * 1e6 / *flow.transactions_per_s);
    }
  } else if (!bps.has_value()) {
    use.set_service_demand_note("the amount of data is not known");
  } else if (*bps <= 0) {
    use.set_service_demand_note("no data moved");
  } else {
    const double kb_per_s = *bps / 8 / 1024;
    use.set_service_demand_us_per_kb(use.cores_busy() * 1e6 / kb_per_s);
  }
}

}  // namespace

const HostSeries* MachineReader(const TrialView& trial, const std::string& machine) {
  const HostSeries* with_ends = nullptr;
  for (const HostSeries& host : trial.hosts) {
    if (host.input->machine != machine || host.edges.empty()) continue;
    if (std::all_of(host.edges.begin(), host.edges.end(), HasReading)) return &host;
    if (with_ends == nullptr && HasReading(host.edges.front()) && HasReading(host.edges.back()))
      with_ends = &host;
  }
  return with_ends;
}

std::vector<v1::MachineResult> ReadMachines(const TrialView& trial, std::vector<std::string>& warnings) {
  std::set<std::string> names;
  for (const HostSeries& host : trial.hosts) names.insert(host.input->machine);
  std::vector<v1::MachineResult> machines;
  for (const std::string& name : names) {
    const HostSeries* reader = MachineReader(trial, name);
    if (reader == nullptr) continue;
    std::vector<const v1::CpuReading*> readings;
    for (const v1::EdgeSample* edge : reader->edges) {
      if (HasReading(edge)) readings.push_back(&edge->cpu());
    }
    std::string why;
    v1::MachineResult machine = CpuOver(readings, &why);
    if (machine.elapsed_ns() <= 0) {
      warnings.push_back(absl::StrCat("machine ", name, ": its CPU figures are left out: ", why, " (host ",
                                      reader->input->host, ")"));
      continue;
    }
    machine.set_machine(name);
    machine.set_reader(reader->input->host);
    const auto background = trial.input->background_cores.find(name);
    if (background != trial.input->background_cores.end()) machine.set_background_cores(background->second);
    machines.push_back(std::move(machine));
  }
  return machines;
}

std::vector<std::string> BackgroundWarnings(const std::vector<v1::MachineResult>& machines) {
  std::vector<std::string> warnings;
  for (const v1::MachineResult& machine : machines) {
    if (!machine.has_background_cores()) continue;
    if (!HasBusyBackground(machine.background_cores(), machine.cpus())) continue;
    warnings.push_back(
        absl::StrFormat("machine %s was already busy before the case: %.2f of %.4g cores; its CPU figures "
                        "and us/KB contain that work",
                        machine.machine(), machine.background_cores(), machine.cpus()));
  }
  return warnings;
}

EntryCpu CpuOfEntry(const EntryFlow& flow, const TrialView& trial,
                    const std::vector<v1::MachineResult>& machines) {
  const v1::TrafficEntry* entry = FindEntry(trial.input->plan_case, flow.entry);
  const Sides sides = SidesOf(flow, entry, trial);
  EntryCpu cpu;
  cpu.sender = Use(sides.senders, machines);
  cpu.receiver = Use(sides.receivers, machines);
  cpu.shared = Meet(sides.senders, sides.receivers);

  const auto why_not = [&](const std::set<std::string>& own, const std::string& role) -> std::string {
    if (cpu.shared) return "senders and receivers share a machine: see both ends";
    const std::string other = OtherRoleOn(own, role, trial);
    if (!other.empty()) return absl::StrCat("its machines also hold the role ", other);
    return NotAlone(own, flow, entry, trial);
  };
  SetServiceDemand(why_not(sides.senders, sides.sender_role), flow, flow.sent_bps, cpu.sender);
  SetServiceDemand(why_not(sides.receivers, sides.receiver_role), flow, flow.received_bps, cpu.receiver);
  if (cpu.shared) {
    std::set<std::string> all = sides.senders;
    all.insert(sides.receivers.begin(), sides.receivers.end());
    cpu.both_ends = Use(all, machines);
    SetServiceDemand(NotAlone(all, flow, entry, trial), flow, flow.received_bps, cpu.both_ends);
  }
  return cpu;
}

}  // namespace tutti::results
