// Whether what an entry says of request/response goes together, with the rest of the entry and the transport.
// Pure.
#pragma once

#include <string>

#include "coordinator/plan/error_list.h"
#include "coordinator/plan/yaml_node.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

// `node` is the entry's, at `path`. Without request_response nothing is checked.
void CheckExchange(const tutti::v1::TrafficEntry& entry, const Node& node, const std::string& path,
                   ErrorList& errors);

}  // namespace tutti::plan
