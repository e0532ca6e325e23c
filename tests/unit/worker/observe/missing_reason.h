// What the facts of a host say of one that could not be read.
#pragma once

#include <string>

#include "tutti/v1/host.pb.h"

namespace tutti::observe {

// Empty: it is not said to be missing.
inline std::string MissingReason(const v1::HostFacts& facts, const std::string& fact) {
  for (const v1::MissingFact& missing : facts.missing()) {
    if (missing.fact() == fact) return missing.reason();
  }
  return "";
}

}  // namespace tutti::observe
