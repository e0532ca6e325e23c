// What the kernel says about a stream's or a host's packets interval by interval: TCP_INFO, drops at sockets,
// the receive path, devices and queueing disciplines. Counters are differences; one that stepped back counts
// as 0. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "coordinator/results/trial_view.h"
#include "tutti/v1/result.pb.h"

namespace tutti::results {

// Of the sender, at every edge; nullopt if an edge is missing, the sender failed or it is not TCP.
std::optional<tutti::v1::TcpSeries> TcpSeriesOf(const StreamView& stream);

// SK_MEMINFO_DROPS of a UDP receiver in each interval; empty if it is not known.
std::vector<uint64_t> SocketDropsOf(const StreamView& stream);

tutti::v1::DeviceCounters Between(const tutti::v1::DeviceCounters& begin,
                                  const tutti::v1::DeviceCounters& end);

// The devices and queueing disciplines that both edges have.
void AddPathCounters(const tutti::v1::EdgeSample& begin, const tutti::v1::EdgeSample& end,
                     tutti::v1::HostInterval& interval);

// Unset unless both edges have it.
std::optional<tutti::v1::SoftnetCounters> SoftnetBetween(const tutti::v1::EdgeSample& begin,
                                                         const tutti::v1::EdgeSample& end);

}  // namespace tutti::results
