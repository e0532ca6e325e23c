// Which cases cannot run because the kernels of their hosts refuse the socket buffers that they ask for.
//
// Known before anything starts: SO_RCVBUF and SO_SNDBUF clamp silently to net.core.rmem_max and wmem_max
// (net/core/sock.c, __sock_set_rcvbuf), and only SO_*BUFFORCE with CAP_NET_ADMIN goes beyond. Such a case is
// not run, and the others are: a run with cases left out this way is partial, not failed. Pure; thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tutti/v1/host.pb.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"

namespace tutti::run {

// One sentence for each host and side whose buffer cannot be had, with the sysctl line that allows it; empty:
// the case can run. Entries with best_effort never stand in the way. A host without facts, or whose limit is
// not known (0), is not judged: its worker will say.
std::vector<std::string> ForbiddenBuffers(const tutti::v1::Case& plan_case,
                                          const std::vector<tutti::v1::Flow>& flows,
                                          const std::map<std::string, tutti::v1::HostFacts>& facts);

}  // namespace tutti::run
