// Whether what a worker reports of a trial can be added up and subtracted: its own word is not trusted to be
// a number that fits.
//
// The merge adds the counters of streams, cohorts and hosts and takes their differences, in 64 bits. A sum
// that does not fit would come out as some other number, and nobody could tell. So each of a trial's hosts
// has an equal share of 2^62 for each of its counters, summed over its streams; a report that is beyond it is
// not used, and nothing is cut off or saturates. Of two hosts each may have 2^61 bytes, which is what 100
// Gbps move in 5 years. Instants and spans are those of a clock (common/time/clock.h).
//
// By reflection: a field that is added to TrialReport, EdgeSample or StreamReport is looked at without more
// code. Counters since boot (host.proto) are not: they are only ever subtracted, and each of those who do
// that looks for itself. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "tutti/v1/session.pb.h"
#include "tutti/v1/stream.pb.h"

namespace tutti::results {

// What the difference of two sums, less a third one, still fits into an int64_t with.
inline constexpr uint64_t kMostOfATrial = uint64_t{1} << 62;

struct ReportBounds {
  uint32_t intervals = 0;  // of the trial's window
  size_t hosts = 1;        // of the trial
  uint64_t largest_datagram_bytes =
      1;  // of the host's UDP streams: numbers of datagrams are multiplied by it
};

// Why it cannot be used, to go behind "its report "; empty: it can.
std::string WhyUnusable(const tutti::v1::TrialReport& report, const ReportBounds& bounds);
std::string WhyUnusable(const tutti::v1::StreamReport& report, const ReportBounds& bounds);
std::string WhyUnusable(const tutti::v1::EdgeSample& edge, const ReportBounds& bounds);

}  // namespace tutti::results
