// How one end of a stream handed over or took its bytes, in words. Pure.
#pragma once

#include <string>

#include "tutti/v1/stream.pb.h"

namespace tutti::report {

// "sendmmsg, up to 32 messages per call, 31.8 on average"; with zerocopy also what the kernel copied all the
// same. Empty for a report that does not tell its way.
std::string SendWayText(const tutti::v1::StreamReport& sender);
// "recvmmsg, up to 32 x 1472B per call, 7.30 messages on average".
std::string ReceiveWayText(const tutti::v1::StreamReport& receiver);

}  // namespace tutti::report
