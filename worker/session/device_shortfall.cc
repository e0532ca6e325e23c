#include "worker/session/device_shortfall.h"

namespace tutti::session {
namespace {

const v1::DeviceCounters* Find(const std::vector<v1::DeviceCounters>& counters, const std::string& device) {
  for (const v1::DeviceCounters& each : counters) {
    if (each.device() == device) return &each;
  }
  return nullptr;
}

// A counter that steps back counted nothing.
uint64_t Gain(uint64_t begin, uint64_t end) { return end > begin ? end - begin : 0; }

}  // namespace

bool CountersFallShort(const std::map<std::string, DevicePayload>& payload,
                       const std::vector<v1::DeviceCounters>& begin,
                       const std::vector<v1::DeviceCounters>& end) {
  for (const auto& [device, bytes] : payload) {
    const v1::DeviceCounters* before = Find(begin, device);
    const v1::DeviceCounters* after = Find(end, device);
    if (before == nullptr || after == nullptr) continue;
    if (Gain(before->tx_bytes(), after->tx_bytes()) < bytes.sent_bytes ||
        Gain(before->rx_bytes(), after->rx_bytes()) < bytes.received_bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace tutti::session
