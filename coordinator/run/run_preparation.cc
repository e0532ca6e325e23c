#include "coordinator/run/run_preparation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/macros.h"
#include "common/units/units.h"
#include "common/version/version.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/plan/threshold_hosts.h"
#include "coordinator/plan/written_place.h"
#include "coordinator/run/local_time.h"
#include "coordinator/run/run_head.h"

namespace tutti::run {
namespace {

bool IsAbsent(const fleet::Member& member) { return member.lost || member.drain.has_value(); }

std::vector<plan::Candidate> Candidates(const std::vector<fleet::Member>& members) {
  std::vector<plan::Candidate> candidates;
  for (const fleet::Member& member : members) {
    if (IsAbsent(member)) continue;
    plan::Candidate& candidate = candidates.emplace_back();
    candidate.name = member.hello.name();
    candidate.labels = {member.hello.labels().begin(), member.hello.labels().end()};
    candidate.facts = member.hello.facts();
    candidate.control_address = member.hello.control_address();
  }
  return candidates;
}

std::set<std::string> AbsentNames(const std::vector<fleet::Member>& members) {
  std::set<std::string> names;
  for (const fleet::Member& member : members) {
    if (IsAbsent(member)) names.insert(member.hello.name());
  }
  return names;
}

std::string DescribeLost(const fleet::Member& member, int64_t now_ns) {
  const int64_t since_ns = (now_ns - member.state_since_ns) / 1'000'000'000 * 1'000'000'000;
  return absl::StrCat("worker ", member.hello.name(), " is lost since ", FormatDuration(since_ns), ": ",
                      member.lost_reason);
}

std::string DescribeDrained(const fleet::Member& member) {
  const tutti::v1::DrainMark& drain = *member.drain;
  return absl::StrCat("worker ", member.hello.name(), " is drained since ",
                      DateAndTime(drain.since_unix_ns()),
                      drain.user().empty() ? "" : absl::StrCat(" by ", drain.user()),
                      drain.reason().empty() ? "" : absl::StrCat(": ", drain.reason()));
}

// One line for each that is not to be had; a worker that is both lost and drained has two.
std::string DescribeAbsent(const std::vector<fleet::Member>& members, int64_t now_ns) {
  std::vector<std::string> lines;
  for (const fleet::Member& member : members) {
    if (member.lost) lines.push_back(DescribeLost(member, now_ns));
    if (member.drain.has_value()) lines.push_back(DescribeDrained(member));
  }
  return absl::StrJoin(lines, "\n");
}

std::vector<tutti::v1::Host> Hosts(const std::vector<std::string>& names,
                                   const std::vector<fleet::Member>& members,
                                   std::vector<uint64_t>& incarnations) {
  std::vector<tutti::v1::Host> hosts;
  for (const std::string& name : names) {
    const auto member = std::find_if(members.begin(), members.end(),
                                     [&](const fleet::Member& each) { return each.hello.name() == name; });
    if (member == members.end()) continue;  // placement gives candidates only
    incarnations.push_back(member->hello.incarnation());
    tutti::v1::Host& host = hosts.emplace_back();
    host.set_name(name);
    *host.mutable_facts() = member->hello.facts();
    *host.mutable_labels() = member->hello.labels();
  }
  return hosts;
}

}  // namespace

absl::StatusOr<RunSpec> PrepareRun(tutti::v1::Plan plan, const PreparationInput& input) {
  const std::vector<fleet::Member>& members = input.members;
  const std::vector<plan::Candidate> candidates = Candidates(members);
  RunSpec spec;
  absl::StatusOr<plan::Placement> placement = plan::Place(plan, candidates, AbsentNames(members));
  if (!placement.ok()) {
    const std::string absent = DescribeAbsent(members, input.now_ns);
    if (absent.empty()) return placement.status();
    return absl::Status(placement.status().code(), absl::StrCat(placement.status().message(), "\n", absent));
  }
  spec.placement = *std::move(placement);
  TUTTI_RETURN_IF_ERROR(plan::CheckThresholdHosts(plan, spec.placement));
  for (int i = 0; i < plan.cases_size(); ++i) {
    absl::StatusOr<std::vector<tutti::v1::Flow>> flows =
        plan::ExpandFlows(plan.cases(i), spec.placement.cases[static_cast<size_t>(i)], candidates);
    if (!flows.ok()) return plan::WithPlace(plan, i, flows.status());
    spec.flows.push_back(*std::move(flows));
  }
  std::vector<tutti::v1::Host> hosts = Hosts(spec.placement.hosts, members, spec.incarnations);
  const std::vector<tutti::v1::Machine> machines = GroupMachines(hosts);
  const std::vector<tutti::v1::Pair> pairs = ListPairs(spec.flows, hosts);
  tutti::v1::Result& head = spec.head;
  head.set_schema_version(1);
  head.set_tutti_version(kVersion);
  head.set_expected_duration_ns(plan::ExpectedDurationNs(plan));
  head.set_lab(input.marks.lab);
  head.set_insecure(input.marks.insecure);
  head.mutable_hosts()->Assign(hosts.begin(), hosts.end());
  head.mutable_machines()->Assign(machines.begin(), machines.end());
  head.mutable_pairs()->Assign(pairs.begin(), pairs.end());
  *head.mutable_plan() = std::move(plan);
  return spec;
}

absl::StatusOr<tutti::v1::DryRunResponse> PrepareDryRun(tutti::v1::Plan plan, const PreparationInput& input) {
  TUTTI_ASSIGN_OR_RETURN(RunSpec spec, PrepareRun(std::move(plan), input));
  tutti::v1::DryRunResponse response;
  *response.mutable_head() = std::move(spec.head);
  for (const std::vector<tutti::v1::Flow>& of_case : spec.flows) {
    response.add_streams_of_case(static_cast<uint32_t>(of_case.size()));
  }
  return response;
}

}  // namespace tutti::run
