#include "worker/load/port_offsets.h"

#include <map>
#include <string>
#include <tuple>

namespace tutti::load {

void SpreadPorts(std::vector<StreamConfig>& streams) {
  std::map<std::tuple<Protocol, std::string, uint16_t, uint16_t>, uint32_t> known;
  for (StreamConfig& stream : streams) {
    if (stream.first_port == 0) continue;
    const uint32_t ports =
        stream.last_port < stream.first_port ? 1 : stream.last_port - stream.first_port + 1;
    uint32_t& count = known[{stream.protocol, stream.local_address, stream.first_port, stream.last_port}];
    stream.port_offset = static_cast<uint16_t>(count++ % ports);
  }
}

}  // namespace tutti::load
