#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/plan/address_choice.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/patterns.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/value_parser.h"
#include "coordinator/plan/written_place.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Flow;
using tutti::v1::TrafficEntry;

class FlowExpander {
 public:
  FlowExpander(const Case& plan_case, const RoleHosts& roles, const std::vector<Candidate>& candidates)
      : case_(plan_case), roles_(roles) {
    for (const Candidate& candidate : candidates) candidates_[candidate.name] = &candidate;
  }

  absl::StatusOr<std::vector<Flow>> Run() {
    for (int i = 0; i < case_.traffic_size(); ++i) {
      const TrafficEntry& entry = case_.traffic(i);
      const char* key = "";
      const absl::Status status = ExpandEntry(entry, key);
      if (status.ok()) continue;
      return InEntry(Annotate(status, absl::StrCat("traffic ", entry.name())), static_cast<size_t>(i), key);
    }
    for (const bool sending : {false, true}) TUTTI_RETURN_IF_ERROR(CheckPorts(sending));
    return std::move(flows_);
  }

 private:
  absl::StatusOr<const std::vector<std::string>*> HostsOf(const std::string& role) const {
    auto found = roles_.find(role);
    if (found == roles_.end() || found->second.empty()) {
      return absl::FailedPreconditionError(absl::StrCat("the role ", role, " has no hosts"));
    }
    return &found->second;
  }

  // `key` becomes the one whose value is wrong.
  absl::Status ExpandEntry(const TrafficEntry& entry, const char*& key) {
    key = "from";
    TUTTI_ASSIGN_OR_RETURN(const std::vector<std::string>* from, HostsOf(entry.from()));
    key = "to";
    TUTTI_ASSIGN_OR_RETURN(const std::vector<std::string>* to, HostsOf(entry.to()));
    key = "pattern";
    const PatternRule* rule = FindPattern(entry.pattern());
    if (rule == nullptr)
      return absl::InvalidArgumentError(absl::StrCat("pattern ", entry.pattern(), " is not known"));
    if (absl::Status status = rule->check_counts(from->size(), to->size()); !status.ok()) {
      return absl::FailedPreconditionError(
          absl::StrCat("pattern ", std::string(rule->name), " ", std::string(status.message())));
    }
    const std::vector<HostPair> pairs = rule->pairs(*from, *to);
    if (pairs.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("pattern ", std::string(rule->name),
                       " finds no pair of different hosts: give the roles more hosts"));
    }
    key = "streams";
    const uint64_t streams = uint64_t{pairs.size()} * entry.streams() * (entry.both_ways() ? 2 : 1);
    if (flows_.size() + streams > kMostStreams) {
      return absl::FailedPreconditionError(absl::StrCat("the case has ", flows_.size() + streams,
                                                        " streams, more than ", kMostStreams,
                                                        ": use fewer streams or hosts"));
    }
    key = "network";
    for (const bool reverse : {false, true}) {
      if (reverse && !entry.both_ways()) break;
      for (const HostPair& pair : pairs) {
        TUTTI_RETURN_IF_ERROR(ExpandPair(entry, (*from)[pair.from], (*to)[pair.to], reverse));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ExpandPair(const TrafficEntry& entry, const std::string& from, const std::string& to,
                          bool reverse) {
    auto from_host = candidates_.find(from);
    auto to_host = candidates_.find(to);
    for (const auto& [name, host] : {std::pair(&from, from_host), std::pair(&to, to_host)}) {
      if (host == candidates_.end())
        return absl::FailedPreconditionError(absl::StrCat("there is no worker ", *name));
    }
    TUTTI_ASSIGN_OR_RETURN(const EndpointPair ends, ChooseAddresses(*from_host->second, *to_host->second,
                                                                    entry.network(), entry.ip_family()));
    const Endpoint& source = reverse ? ends.to : ends.from;
    const Endpoint& target = reverse ? ends.from : ends.to;
    for (uint32_t i = 0; i < entry.streams(); ++i) {
      Flow flow;
      flow.set_stream_id(static_cast<uint32_t>(flows_.size()));
      flow.set_entry(entry.name());
      flow.set_reverse(reverse);
      flow.set_from_host(reverse ? to : from);
      flow.set_to_host(reverse ? from : to);
      flow.set_from_address(source.address);
      flow.set_to_address(target.address);
      flow.set_from_device(source.device);
      flow.set_to_device(target.device);
      flow.set_index(i);
      flows_.push_back(std::move(flow));
    }
    return absl::OkStatus();
  }

  // Every address needs a port of its own for each stream; of nested ranges the inner ones count with the
  // outer.
  absl::Status CheckPorts(bool sending) const {
    const auto range_of = [sending](const TrafficEntry& entry) -> const tutti::v1::PortRange& {
      return sending ? entry.source_ports() : entry.ports();
    };
    std::map<std::string, int> entries;
    for (int i = 0; i < case_.traffic_size(); ++i) entries[case_.traffic(i).name()] = i;
    std::map<std::pair<std::string, std::string>, std::map<std::string, uint64_t>> streams;
    for (const Flow& flow : flows_) {
      const TrafficEntry& entry = case_.traffic(entries[flow.entry()]);
      if (sending ? !entry.has_source_ports() : !entry.has_ports()) continue;
      ++streams[sending ? std::pair(flow.from_host(), flow.from_address())
                        : std::pair(flow.to_host(), flow.to_address())][flow.entry()];
    }
    for (const auto& [owner, by_entry] : streams) {
      for (const auto& [name, own] : by_entry) {
        const TrafficEntry& entry = case_.traffic(entries[name]);
        const tutti::v1::PortRange& range = range_of(entry);
        uint64_t wanted = 0;
        for (const auto& [other_name, count] : by_entry) {
          const TrafficEntry& other = case_.traffic(entries[other_name]);
          const bool inside = range_of(other).first() >= range.first() &&
                              range_of(other).last() <= range.last() && other.protocol() == entry.protocol();
          if (inside) wanted += count;
        }
        if (wanted <= range.last() - range.first() + 1) continue;
        const absl::Status status = absl::FailedPreconditionError(absl::StrCat(
            "traffic ", name, ": host ", owner.first, sending ? " sends " : " receives ", wanted,
            " streams, and ", DescribePorts(range), ": write a range of ", wanted, " ports or more"));
        return InEntry(status, static_cast<size_t>(entries[name]), sending ? "source_ports" : "ports");
      }
    }
    return absl::OkStatus();
  }

  const Case& case_;
  const RoleHosts& roles_;
  std::map<std::string, const Candidate*> candidates_;
  std::vector<Flow> flows_;
};

}  // namespace

absl::StatusOr<std::vector<Flow>> ExpandFlows(const Case& plan_case, const RoleHosts& roles,
                                              const std::vector<Candidate>& candidates) {
  return FlowExpander(plan_case, roles, candidates).Run();
}

}  // namespace tutti::plan
