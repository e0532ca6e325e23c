// The fleet that a plan finds in a lab, without starting one. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/lab/host_labels.h"
#include "coordinator/plan/placement.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// How many distinct hosts placement needs for all cases: each host that a role names, and for each set of
// labels that a role asks for the largest count of any case, or 2 for `all`; nothing for same_as. At least as
// many as the highest N of a role that names lab hosts "hostN".
int HostsNeeded(const tutti::v1::Plan& plan);

// A lab's `count` workers: "host1".."hostN" with their labels (host_labels.h), one network on the device eth0
// (as in addressing.h, both families), the loopback device and generous limits.
std::vector<plan::Candidate> LabFleet(int count, const lab::HostLabels& labels);

// The same for a dry run of a plan that is for other hosts: roles that ask for labels find them. The labels
// of a role are given to as many hosts as it asks for, those of an `all` role to every host that was given
// none. Names that the plan gives and the lab would not have replace the last hosts.
std::vector<plan::Candidate> FakeFleet(const tutti::v1::Plan& plan, int count);

}  // namespace tutti::cli
