// Whether a device's byte counters have caught up with the payload that went through it: pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tutti/v1/host.pb.h"

namespace tutti::session {

struct DevicePayload {
  uint64_t sent_bytes = 0;
  uint64_t received_bytes = 0;
};

// True while some device counted fewer bytes between the readings than its payload: drivers refresh their
// counters late, some once a second. Only devices in `payload` are judged; one that is missing in a reading
// is not.
bool CountersFallShort(const std::map<std::string, DevicePayload>& payload,
                       const std::vector<v1::DeviceCounters>& begin,
                       const std::vector<v1::DeviceCounters>& end);

}  // namespace tutti::session
