// The fleet that a plan would find in a lab: for dry runs without any coordinator. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/plan/placement.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::cli {

// How many distinct hosts the plan's largest case needs: the sum over its roles of the names, the count (1
// where none is given), or 2 for `all`; nothing for same_as. At least as many as the highest N of a role that
// names lab hosts "hostN".
int HostsNeeded(const tutti::v1::Plan& plan);

// `count` workers "host1".."hostN" with one lab-like network (10.77.0.N/24, fd77::N/64, device eth0, no
// hardware) and generous limits. Roles that ask for labels find them: the labels of a role are given to as
// many hosts as it asks for, those of an `all` role to every host that has none yet. Names that the plan
// gives and the lab would not have replace the last hosts.
std::vector<plan::Candidate> FakeFleet(const tutti::v1::Plan& plan, int count);

}  // namespace tutti::cli
