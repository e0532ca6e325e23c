// What lies below the sockets, summed over the window: for `--detail`. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "tutti/v1/result.pb.h"

namespace tutti::report {

// One line per device and queueing discipline that carried streams, one per machine for its receive path;
// empty if nothing of it is known.
std::string PathDetail(const tutti::v1::TrialResult& trial);

// The median of a column of a TcpSeries over the window's edges, of which there is one at least; of an even
// number the lower of the two in the middle.
uint64_t WindowMedian(const google::protobuf::RepeatedField<uint64_t>& edges);

// "rtt 84us (60..120), cwnd 10 (10..14), ...": medians and ranges over the window's edges, and the parts of
// it in which the sender was held up; empty without a series.
std::string TcpSeriesLine(const tutti::v1::TcpSeries& series);

}  // namespace tutti::report
