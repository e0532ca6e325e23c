#include "coordinator/cli/fake_fleet.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "common/version/version.h"
#include "coordinator/lab/addressing.h"

namespace tutti::cli {
namespace {

constexpr int kCpus = 4;
constexpr uint64_t kGenerousBytes = 1ull << 40;
constexpr int kHostsOfAll = 2;  // that a role of `all` hosts needs to be worth its name

using Labels = std::map<std::string, std::string>;

// N of "hostN"; 0 for any other name.
int LabNumber(const std::string& name) {
  int number = 0;
  if (name.rfind("host", 0) != 0 || !absl::SimpleAtoi(name.substr(4), &number) || number < 1) return 0;
  return lab::HostName(number) == name ? number : 0;
}

// What a role asks for with one set of labels, over all cases: placement keeps hosts of their own for each.
struct Demand {
  std::string role;
  Labels labels;
  bool all = false;
  int count = 0;  // the largest of the cases
};

std::vector<Demand> DemandsOf(const tutti::v1::Plan& plan) {
  std::vector<Demand> demands;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    for (const tutti::v1::Role& role : plan_case.roles()) {
      if (!role.same_as().empty() || role.hosts_size() > 0) continue;
      Demand asked{role.name(), {role.labels().begin(), role.labels().end()}, role.all(), kHostsOfAll};
      if (!role.all()) asked.count = role.has_count() ? static_cast<int>(role.count()) : 1;
      const auto known = std::find_if(demands.begin(), demands.end(), [&](const Demand& demand) {
        return demand.role == asked.role && demand.all == asked.all && demand.labels == asked.labels;
      });
      if (known == demands.end()) {
        demands.push_back(std::move(asked));
      } else {
        known->count = std::max(known->count, asked.count);
      }
    }
  }
  return demands;
}

std::set<std::string> NamesIn(const tutti::v1::Plan& plan) {
  std::set<std::string> names;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    for (const tutti::v1::Role& role : plan_case.roles())
      names.insert(role.hosts().begin(), role.hosts().end());
  }
  return names;
}

void AddAddress(tutti::v1::HostFacts& facts, const std::string& address, int prefix_bits,
                const char* device) {
  tutti::v1::HostAddress* added = facts.add_addresses();
  added->set_address(address);
  added->set_prefix_length(static_cast<uint32_t>(prefix_bits));
  added->set_device(device);
  added->set_loopback(std::string_view(device) == "lo");
}

tutti::v1::HostFacts LabFacts(int number) {
  tutti::v1::HostFacts facts;
  facts.set_boot_id("dry-run");
  facts.set_tutti_version(kVersion);
  for (int cpu = 0; cpu < kCpus; ++cpu) {
    facts.add_online_cpus(cpu);
    facts.add_allowed_cpus(cpu);
  }
  tutti::v1::NumaNode* node = facts.add_numa_nodes();
  for (int cpu = 0; cpu < kCpus; ++cpu) node->add_cpus(cpu);
  AddAddress(facts, lab::HostIpv4(number), lab::kIpv4PrefixBits, "eth0");
  AddAddress(facts, lab::HostIpv6(number), lab::kIpv6PrefixBits, "eth0");
  AddAddress(facts, "127.0.0.1", 8, "lo");
  AddAddress(facts, "::1", 128, "lo");
  tutti::v1::HostDevice* device = facts.add_devices();
  device->set_name("eth0");
  device->set_mtu_bytes(1500);
  facts.set_rmem_max_bytes(kGenerousBytes);
  facts.set_wmem_max_bytes(kGenerousBytes);
  facts.set_may_force_buffers(true);
  facts.set_max_open_files(1 << 20);
  return facts;
}

// From the last host backwards, so that roles without labels find the first ones free.
class LabelGiver {
 public:
  // Hosts that the plan names are for the roles that name them.
  LabelGiver(const std::set<std::string>& named, std::vector<plan::Candidate>& fleet) : fleet_(fleet) {
    for (const plan::Candidate& host : fleet) taken_.push_back(named.count(host.name) > 0);
  }

  void Give(const Demand& demand) {
    int wanted = demand.all ? static_cast<int>(fleet_.size()) : demand.count;
    for (size_t i = fleet_.size(); i-- > 0 && wanted > 0;) {
      if (!taken_[i] && HasAll(fleet_[i].labels, demand.labels)) Take(i, demand, wanted);
    }
    for (size_t i = fleet_.size(); i-- > 0 && wanted > 0;) {
      if (!taken_[i]) Take(i, demand, wanted);
    }
  }

 private:
  static bool HasAll(const Labels& labels, const Labels& wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& label) {
      const auto found = labels.find(label.first);
      return found != labels.end() && found->second == label.second;
    });
  }
  void Take(size_t host, const Demand& demand, int& wanted) {
    for (const auto& [key, value] : demand.labels) fleet_[host].labels[key] = value;
    taken_[host] = true;
    --wanted;
  }

  std::vector<plan::Candidate>& fleet_;
  std::vector<bool> taken_;
};

void GiveLabels(const tutti::v1::Plan& plan, std::vector<plan::Candidate>& fleet) {
  LabelGiver giver(NamesIn(plan), fleet);
  for (const bool all : {false, true}) {
    for (const Demand& demand : DemandsOf(plan)) {
      if (!demand.labels.empty() && demand.all == all) giver.Give(demand);
    }
  }
}

}  // namespace

int HostsNeeded(const tutti::v1::Plan& plan) {
  const std::set<std::string> names = NamesIn(plan);
  int sum = static_cast<int>(names.size());
  for (const Demand& demand : DemandsOf(plan)) sum += demand.count;
  for (const std::string& name : names) sum = std::max(sum, LabNumber(name));
  return sum;
}

std::vector<plan::Candidate> LabFleet(int count, const lab::HostLabels& labels) {
  std::vector<plan::Candidate> fleet;
  for (int number = 1; number <= count; ++number) {
    plan::Candidate host;
    host.name = lab::HostName(number);
    host.labels = lab::LabelsOf(labels, host.name);
    host.facts = LabFacts(number);
    host.control_address = host.facts.addresses(0).address();
    fleet.push_back(std::move(host));
  }
  return fleet;
}

std::vector<plan::Candidate> FakeFleet(const tutti::v1::Plan& plan, int count) {
  std::vector<plan::Candidate> fleet = LabFleet(count, {});
  const std::set<std::string> names = NamesIn(plan);
  size_t end = fleet.size();  // hosts from here on bear names of the plan
  for (const std::string& name : names) {
    if (LabNumber(name) > 0) continue;
    while (end > 0 && names.count(fleet[end - 1].name) > 0) --end;
    if (end == 0) break;
    fleet[--end].name = name;
    fleet[end].labels.clear();
  }
  GiveLabels(plan, fleet);
  std::sort(fleet.begin(), fleet.end(),
            [](const plan::Candidate& a, const plan::Candidate& b) { return a.name < b.name; });
  return fleet;
}

}  // namespace tutti::cli
