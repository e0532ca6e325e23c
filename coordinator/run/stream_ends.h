// From a case's flows to what each host must set up: both ends of every stream. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

// By host, in the order of the flows; a flow from a host to itself gives that host both ends, the sender's
// first. `random` gives the streams' nonces, one call per flow. A flow's entry must be one of the case's.
std::map<std::string, std::vector<tutti::v1::StreamEnd>> MakeStreamEnds(
    const tutti::v1::Case& plan_case, const std::vector<tutti::v1::Flow>& flows,
    const std::function<uint64_t()>& random);

}  // namespace tutti::run
