// What must hold between the values of a case. Pure.
#pragma once

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// `root` is the tree that `plan_case` was decoded from: errors point into it. What CheckShape found is not
// found again.
void CheckRoles(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
void CheckTraffic(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// Who keeps a rate, and what goes with it.
void CheckPacing(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// What one thread can serve in turn.
void CheckThreads(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// Which ends can run where their packets arrive.
void CheckPlacement(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// Each end of a stream takes a port of its own: ranges that are too short for what is known
// without the hosts. ExpandFlows checks the rest.
void CheckPorts(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
void CheckTiming(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// What the thresholds name exists, and their metrics have what they ask for.
void CheckThresholds(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors);
// Of a plan whose cases are without errors: each threshold judges an entry of some case. `root` is the whole
// plan.
void CheckThresholdsJudge(const tutti::v1::Plan& plan, const Node& root, ErrorList& errors);

}  // namespace tutti::plan
