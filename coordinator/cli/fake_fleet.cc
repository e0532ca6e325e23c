#include "coordinator/cli/fake_fleet.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/version/version.h"
#include "coordinator/lab/addressing.h"

namespace tutti::cli {
namespace {

constexpr int kCpus = 4;
constexpr uint64_t kGenerousBytes = 1ull << 40;

// N of "hostN"; 0 for any other name.
int LabNumber(const std::string& name) {
  int number = 0;
  if (name.rfind("host", 0) != 0 || !absl::SimpleAtoi(name.substr(4), &number) || number < 1) return 0;
  return lab::HostName(number) == name ? number : 0;
}

int HostsOf(const tutti::v1::Role& role) {
  if (!role.same_as().empty()) return 0;
  if (role.hosts_size() > 0) return role.hosts_size();
  if (role.has_count()) return static_cast<int>(role.count());
  return role.all() ? 2 : 1;
}

int HostsNeededBy(const tutti::v1::Case& plan_case) {
  int sum = 0;
  int highest = 0;
  for (const tutti::v1::Role& role : plan_case.roles()) {
    sum += HostsOf(role);
    for (const std::string& name : role.hosts()) highest = std::max(highest, LabNumber(name));
  }
  return std::max(sum, highest);
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
  tutti::v1::HostAddress* v4 = facts.add_addresses();
  v4->set_address(lab::HostIpv4(number));
  v4->set_prefix_length(lab::kIpv4PrefixBits);
  v4->set_device("eth0");
  tutti::v1::HostAddress* v6 = facts.add_addresses();
  v6->set_address(lab::HostIpv6(number));
  v6->set_prefix_length(lab::kIpv6PrefixBits);
  v6->set_device("eth0");
  tutti::v1::HostDevice* device = facts.add_devices();
  device->set_name("eth0");
  device->set_mtu_bytes(1500);
  facts.set_rmem_max_bytes(kGenerousBytes);
  facts.set_wmem_max_bytes(kGenerousBytes);
  facts.set_may_force_buffers(true);
  facts.set_max_open_files(1 << 20);
  return facts;
}

// The hosts that the case names and the lab lacks.
std::vector<std::string> ForeignNames(const tutti::v1::Plan& plan) {
  std::set<std::string> names;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    for (const tutti::v1::Role& role : plan_case.roles()) {
      for (const std::string& name : role.hosts()) {
        if (LabNumber(name) == 0) names.insert(name);
      }
    }
  }
  return {names.begin(), names.end()};
}

const tutti::v1::Case* LargestCase(const tutti::v1::Plan& plan) {
  const tutti::v1::Case* largest = nullptr;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    if (largest == nullptr || HostsNeededBy(plan_case) > HostsNeededBy(*largest)) largest = &plan_case;
  }
  return largest;
}

// From the last host backwards, so that roles without labels find the first ones free.
void GiveLabels(const tutti::v1::Case& plan_case, std::vector<plan::Candidate>& fleet) {
  const auto give = [&fleet](const tutti::v1::Role& role, int wanted) {
    for (auto host = fleet.rbegin(); host != fleet.rend() && wanted > 0; ++host) {
      if (!host->labels.empty()) continue;
      host->labels = {role.labels().begin(), role.labels().end()};
      --wanted;
    }
  };
  for (const tutti::v1::Role& role : plan_case.roles()) {
    if (!role.labels().empty() && !role.all()) give(role, HostsOf(role));
  }
  for (const tutti::v1::Role& role : plan_case.roles()) {
    if (!role.labels().empty() && role.all()) give(role, static_cast<int>(fleet.size()));
  }
}

}  // namespace

int HostsNeeded(const tutti::v1::Plan& plan) {
  const tutti::v1::Case* largest = LargestCase(plan);
  return largest == nullptr ? 0 : HostsNeededBy(*largest);
}

std::vector<plan::Candidate> FakeFleet(const tutti::v1::Plan& plan, int count) {
  std::vector<plan::Candidate> fleet;
  for (int number = 1; number <= count; ++number) {
    plan::Candidate host;
    host.name = lab::HostName(number);
    host.facts = LabFacts(number);
    host.control_address = host.facts.addresses(0).address();
    fleet.push_back(std::move(host));
  }
  const std::vector<std::string> foreign = ForeignNames(plan);
  for (size_t i = 0; i < foreign.size() && i < fleet.size(); ++i)
    fleet[fleet.size() - 1 - i].name = foreign[i];
  const tutti::v1::Case* largest = LargestCase(plan);
  if (largest != nullptr) GiveLabels(*largest, fleet);
  std::sort(fleet.begin(), fleet.end(),
            [](const plan::Candidate& a, const plan::Candidate& b) { return a.name < b.name; });
  return fleet;
}

}  // namespace tutti::cli
