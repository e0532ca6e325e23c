#include "coordinator/run/run_head.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tutti::run {
namespace {

using tutti::v1::Flow;
using tutti::v1::Host;
using tutti::v1::HostDevice;
using tutti::v1::Machine;
using tutti::v1::Pair;

const HostDevice* FindDevice(const std::vector<Host>& hosts, const std::string& host,
                             const std::string& device) {
  for (const Host& each : hosts) {
    if (each.name() != host) continue;
    for (const HostDevice& candidate : each.facts().devices()) {
      if (candidate.name() == device) return &candidate;
    }
  }
  return nullptr;
}

Pair MakePair(const Flow& flow, const std::vector<Host>& hosts) {
  Pair pair;
  pair.set_entry(flow.entry());
  pair.set_reverse(flow.reverse());
  pair.set_from_host(flow.from_host());
  pair.set_to_host(flow.to_host());
  pair.set_from_address(flow.from_address());
  pair.set_to_address(flow.to_address());
  pair.set_from_device(flow.from_device());
  pair.set_to_device(flow.to_device());
  const HostDevice* from = FindDevice(hosts, flow.from_host(), flow.from_device());
  const HostDevice* to = FindDevice(hosts, flow.to_host(), flow.to_device());
  if (from != nullptr && from->has_speed_bps()) pair.set_from_speed_bps(from->speed_bps());
  if (to != nullptr && to->has_speed_bps()) pair.set_to_speed_bps(to->speed_bps());
  pair.set_hardware(from != nullptr && to != nullptr && from->has_hardware() && to->has_hardware());
  return pair;
}

}  // namespace

std::vector<Machine> GroupMachines(std::vector<Host>& hosts) {
  std::vector<Machine> machines;
  std::map<std::string, size_t> by_boot_id;
  for (Host& host : hosts) {
    const std::string& boot_id = host.facts().boot_id();
    const std::string key = boot_id.empty() ? absl::StrCat("host ", host.name()) : boot_id;
    const auto [found, is_new] = by_boot_id.try_emplace(key, machines.size());
    if (is_new) {
      Machine& machine = machines.emplace_back();
      machine.set_id(absl::StrCat("m", machines.size()));
      machine.set_boot_id(boot_id);
      machine.set_online_cpus(static_cast<uint32_t>(host.facts().online_cpus_size()));
    }
    Machine& machine = machines[found->second];
    machine.add_hosts(host.name());
    host.set_machine(machine.id());
  }
  return machines;
}

std::vector<Pair> ListPairs(const std::vector<std::vector<Flow>>& flows_by_case,
                            const std::vector<Host>& hosts) {
  std::vector<Pair> pairs;
  std::set<std::tuple<std::string, bool, std::string, std::string, std::string, std::string>> seen;
  for (const std::vector<Flow>& flows : flows_by_case) {
    for (const Flow& flow : flows) {
      if (!seen.emplace(flow.entry(), flow.reverse(), flow.from_host(), flow.to_host(), flow.from_address(),
                        flow.to_address())
               .second) {
        continue;
      }
      pairs.push_back(MakePair(flow, hosts));
    }
  }
  return pairs;
}

}  // namespace tutti::run
