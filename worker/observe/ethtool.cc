#include "worker/observe/ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace tutti::observe {
namespace {

constexpr uint64_t kBpsPerMbps = 1'000'000;
// SPEED_UNKNOWN is -1; some drivers say 0 or 65535 (the old 16-bit unknown) instead.
constexpr uint32_t kUnknownSpeeds[] = {0, 65535, static_cast<uint32_t>(SPEED_UNKNOWN)};

bool Ask(int fd, const std::string& device, void* command) {
  ifreq request{};
  if (device.size() >= sizeof(request.ifr_name)) return false;
  memcpy(request.ifr_name, device.c_str(), device.size() + 1);
  request.ifr_data = static_cast<char*>(command);
  return ioctl(fd, SIOCETHTOOL, &request) == 0;
}

std::string BoundedText(const char* text, size_t size) { return std::string(text, strnlen(text, size)); }

std::optional<uint64_t> ReadSpeed(int fd, const std::string& device) {
  // The first call asks how many words the masks have: it is answered as a negative number.
  ethtool_link_settings probe{};
  probe.cmd = ETHTOOL_GLINKSETTINGS;
  if (!Ask(fd, device, &probe) || probe.link_mode_masks_nwords >= 0) return std::nullopt;
  const size_t words = static_cast<size_t>(-probe.link_mode_masks_nwords);
  std::vector<uint32_t> memory(
      (sizeof(ethtool_link_settings) + 3 * words * sizeof(uint32_t)) / sizeof(uint32_t) + 1);
  auto* settings = reinterpret_cast<ethtool_link_settings*>(memory.data());
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  settings->link_mode_masks_nwords = static_cast<int8_t>(words);
  if (!Ask(fd, device, settings)) return std::nullopt;
  for (const uint32_t unknown : kUnknownSpeeds) {
    if (settings->speed == unknown) return std::nullopt;
  }
  return settings->speed * kBpsPerMbps;
}

}  // namespace

EthtoolFacts ReadEthtool(const std::string& device) {
  EthtoolFacts facts;
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return facts;
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (Ask(fd, device, &info)) {
    facts.driver = BoundedText(info.driver, sizeof(info.driver));
    facts.bus_info = BoundedText(info.bus_info, sizeof(info.bus_info));
  }
  facts.speed_bps = ReadSpeed(fd, device);
  close(fd);
  return facts;
}

}  // namespace tutti::observe
