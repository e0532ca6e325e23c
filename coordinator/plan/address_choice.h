// Which addresses of two hosts carry the data of a flow. Pure; thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "coordinator/plan/placement.h"
#include "tutti/v1/plan.pb.h"

namespace tutti::plan {

struct Endpoint {
  std::string address;  // link-local IPv6: with "%device"
  std::string device;   // that holds it; empty: not known
};

struct EndpointPair {
  Endpoint from;
  Endpoint to;
};

// With `network` the addresses in that CIDR or on that interface (link-local ones only there). Without it:
//  - one host: its loopback address;
//  - the addresses by which the hosts reach the coordinator, if both are of the family and usable. A loopback
//  or Unix
//    control address never is, except between workers on one machine that both have a loopback one: they
//    share it;
//  - else the addresses in a subnet that both share, IPv4 before IPv6.
// Several on one device in one subnet: the first, which is the kernel's primary one. FailedPrecondition where
// there is none, or several on different devices or subnets: lists both hosts' addresses and what to write.
absl::StatusOr<EndpointPair> ChooseAddresses(const Candidate& from, const Candidate& to,
                                             const std::string& network, tutti::v1::IpFamily family);

}  // namespace tutti::plan
