// The facts of hosts as text, and how those of two runs differ. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "tutti/v1/result.pb.h"

namespace tutti::report {

// "TITLE  fingerprint 0123456789abcdef", then a line for each fact by the paths of
// common/facts/fact_list.h, in groups: the host, its devices, its sysctls and so on; at the end what is not
// known, with the reason.
std::string RenderHostFacts(std::string_view title, const v1::HostFacts& facts);

// The same of every host of a result.
std::string RenderFacts(const v1::Result& result);

// Host by host, by their names: the facts that differ with both values; those that are not in the
// fingerprint come last and are not counted.
std::string RenderFactDifferences(const v1::Result& first, const v1::Result& second);

}  // namespace tutti::report
