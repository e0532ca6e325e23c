// The head of a run's result: its hosts, their machines, and the pairs of hosts that talk. Pure; thread-safe.
#pragma once

#include <vector>

#include "tutti/v1/result.pb.h"

namespace tutti::run {

// The workers of one boot_id are one machine: "m1", "m2", ... in the order of their first host's name.
// `hosts` are sorted by name; their `machine` is filled in. A host that tells no boot_id is a machine of its
// own.
std::vector<tutti::v1::Machine> GroupMachines(std::vector<tutti::v1::Host>& hosts);

// Each pair of hosts of each entry and direction once, in the order of the flows, over all cases.
std::vector<tutti::v1::Pair> ListPairs(const std::vector<std::vector<tutti::v1::Flow>>& flows_by_case,
                                       const std::vector<tutti::v1::Host>& hosts);

}  // namespace tutti::run
