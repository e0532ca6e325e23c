// What of the host's facts could not be read, and why.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tutti/v1/host.pb.h"

namespace tutti::observe {

// `fact` is its path as common/facts/fact_list.h writes it; nothing happens if `why` is ok.
void AddMissing(const std::string& fact, const absl::Status& why, v1::HostFacts* facts);

}  // namespace tutti::observe
