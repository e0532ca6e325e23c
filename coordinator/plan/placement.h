// Which hosts fill the roles of a run, and which flows a case has on them. Pure; thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::plan {

// A worker as placement sees it.
struct Candidate {
  std::string name;
  std::map<std::string, std::string> labels;
  tutti::v1::HostFacts facts;
  std::string control_address;  // of the worker, as its session shows it; empty for a Unix socket
};

// role -> hosts: in name order (host2 before host10), named ones as the plan lists them.
using RoleHosts = std::map<std::string, std::vector<std::string>>;

struct Placement {
  std::vector<RoleHosts> cases;    // by case index
  std::vector<std::string> hosts;  // all that the run needs, sorted, each once
};

// A host that a role names is its own in every case; the others are dealt out so that every role is filled if
// that is possible at all, and `all` takes what is left. Sets of labels that vary between cases take hosts of
// their own. Made once per run, in name order, the same for all cases: where a role's count varies, smaller
// cases take the first hosts of the largest. FailedPrecondition with every role that cannot be filled, which
// workers exist and why each did not match. `absent`: those that take no run at present; the caller says why.
absl::StatusOr<Placement> Place(const tutti::v1::Plan& plan, const std::vector<Candidate>& candidates,
                                const std::set<std::string>& absent = {});

// The flows of one case: pattern x pairs x streams, with addresses chosen as design says (`network`, else the
// address that reaches the coordinator, never loopback between machines). stream_ids run from 0. WithPlace
// (written_place.h) says where in the plan an error lies.
absl::StatusOr<std::vector<tutti::v1::Flow>> ExpandFlows(const tutti::v1::Case& plan_case,
                                                         const RoleHosts& roles,
                                                         const std::vector<Candidate>& candidates);

}  // namespace tutti::plan
