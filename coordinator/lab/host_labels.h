// Labels of a lab's hosts, so that plans whose roles choose hosts by label run in a lab too. Pure;
// thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::lab {

// Host name -> label -> value.
using HostLabels = std::map<std::string, std::map<std::string, std::string>>;

// Of texts such as "host2:rack=a". InvalidArgument for another form, a host that no lab has (addressing.h), a
// control character, or the same label of the same host twice.
absl::StatusOr<HostLabels> ParseHostLabels(const std::vector<std::string>& texts);

// InvalidArgument if one of them is for none of the lab's `hosts` hosts.
absl::Status CheckHostLabels(const HostLabels& labels, int hosts);

// Those that the worker of `host` gets: "host", its own name, unless that is among its `labels`, and these.
std::map<std::string, std::string> LabelsOf(const HostLabels& labels, const std::string& host);

}  // namespace tutti::lab
