// Two hosts, or one host at two times, compared fact by fact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/v1/host.pb.h"

namespace tutti {

struct FactDifference {
  std::string path;                  // as Fact.path
  std::optional<std::string> first;  // unset: not known there
  std::optional<std::string> second;
  std::string first_reason;  // why it is not known, if the host said so
  std::string second_reason;
  bool in_fingerprint = true;
};

// By path; empty where all facts are the same. The difference of two facts of which none is in the
// fingerprint says so. Reasons are not compared. Pure.
std::vector<FactDifference> CompareFacts(const v1::HostFacts& first, const v1::HostFacts& second);

}  // namespace tutti
