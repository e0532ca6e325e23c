#include "coordinator/cli/lab_preflight.h"

#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/cli/dry_run.h"
#include "coordinator/cli/fake_fleet.h"
#include "coordinator/lab/addressing.h"

namespace tutti::cli {
namespace {

// Side, size and best_effort; the value is the numbers of the cases, from 1.
using Asked = std::map<std::tuple<lab::BufferSide, uint64_t, bool>, std::vector<uint32_t>>;

void Note(Asked& asked, lab::BufferSide side, uint64_t bytes, bool best_effort, uint32_t case_number) {
  std::vector<uint32_t>& cases = asked[{side, bytes, best_effort}];
  if (cases.empty() || cases.back() != case_number) cases.push_back(case_number);
}

Asked BuffersOf(const tutti::v1::Plan& plan) {
  Asked asked;
  for (const tutti::v1::Case& plan_case : plan.cases()) {
    for (const tutti::v1::TrafficEntry& entry : plan_case.traffic()) {
      const uint32_t number = plan_case.index() + 1;
      if (entry.has_send_buffer_bytes()) {
        Note(asked, lab::BufferSide::kSend, entry.send_buffer_bytes(), entry.best_effort(), number);
      }
      if (entry.has_receive_buffer_bytes()) {
        Note(asked, lab::BufferSide::kReceive, entry.receive_buffer_bytes(), entry.best_effort(), number);
      }
    }
  }
  return asked;
}

}  // namespace

std::vector<std::string> ForbiddenBuffers(const tutti::v1::Plan& plan, const lab::BufferLimits& limits) {
  std::vector<std::string> messages;
  for (const auto& [what, cases] : BuffersOf(plan)) {
    const auto& [side, bytes, best_effort] = what;
    const absl::Status allowed = lab::MayUseBuffer(limits, side, static_cast<int64_t>(bytes));
    if (allowed.ok()) continue;
    messages.push_back(
        absl::StrCat(allowed.message(), "\n  ", cases.size() == 1 ? "case " : "cases ",
                     absl::StrJoin(cases, ", "), " of ", plan.cases_size(),
                     best_effort ? " will run with less and be marked" : " will not run; the others will"));
  }
  return messages;
}

absl::Status CheckHostCount(const tutti::v1::Plan& plan, int hosts) {
  const int needed = HostsNeeded(plan);
  if (needed > lab::kMaxHosts) {
    return absl::FailedPreconditionError(absl::StrCat(
        "this plan needs ", needed, " hosts; a lab has ", lab::kMaxHosts,
        " at most: lower the counts of its roles, or run it on the workers of a coordinator (tutti run)"));
  }
  if (needed <= hosts) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("this plan needs ", needed,
                                                    needed == 1 ? " host" : " hosts", "; the lab has ", hosts,
                                                    ": use --hosts ", needed));
}

absl::Status CheckFitsLab(const tutti::v1::Plan& plan, int hosts, const lab::HostLabels& labels) {
  TUTTI_RETURN_IF_ERROR(CheckHostCount(plan, hosts));
  return Annotate(DescribePlan(plan, LabFleet(hosts, labels)).status(),
                  hosts == 1 ? "a lab of 1 host cannot run this plan"
                             : absl::StrCat("a lab of ", hosts, " hosts cannot run this plan"));
}

}  // namespace tutti::cli
