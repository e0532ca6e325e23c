// Where in a range of ports each stream of a host begins to look for a free one. Pure.
#pragma once

#include <vector>

#include "worker/load/stream_config.h"

namespace tutti::load {

// Gives the streams of one protocol, address and range places of their own, so that thousands of them do not
// each try the ports of all before them.
void SpreadPorts(std::vector<StreamConfig>& streams);

}  // namespace tutti::load
