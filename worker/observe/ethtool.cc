#include "worker/observe/ethtool.h"

#include <linux/ethtool.h>
#include <string.h>

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/status/printable.h"

namespace tutti::observe {
namespace {

constexpr uint64_t kBpsPerMbps = 1'000'000;
// SPEED_UNKNOWN is -1; some drivers say 0 or 65535 (the old 16-bit unknown) instead.
constexpr uint32_t kUnknownSpeeds[] = {0, 65535, static_cast<uint32_t>(SPEED_UNKNOWN)};

std::string BoundedText(const char* text, size_t size) {
  return Printable(std::string(text, strnlen(text, size)));
}

absl::StatusOr<uint64_t> ReadSpeed(const EthtoolSocket& socket, const std::string& device) {
  constexpr char kName[] = "ETHTOOL_GLINKSETTINGS";
  // The first call asks how many words the masks have: it is answered as a negative number.
  ethtool_link_settings probe{};
  probe.cmd = ETHTOOL_GLINKSETTINGS;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device, kName, &probe));
  if (probe.link_mode_masks_nwords >= 0) {
    return absl::NotFoundError(absl::StrCat(kName, " of ", device, " does not say how long its answer is"));
  }
  const size_t words = static_cast<size_t>(-probe.link_mode_masks_nwords);
  std::vector<uint32_t> memory(
      (sizeof(ethtool_link_settings) + 3 * words * sizeof(uint32_t)) / sizeof(uint32_t) + 1);
  auto* settings = reinterpret_cast<ethtool_link_settings*>(memory.data());
  settings->cmd = ETHTOOL_GLINKSETTINGS;
  settings->link_mode_masks_nwords = static_cast<int8_t>(words);
  TUTTI_RETURN_IF_ERROR(socket.Ask(device, kName, settings));
  for (const uint32_t unknown : kUnknownSpeeds) {
    if (settings->speed == unknown) {
      return absl::NotFoundError(absl::StrCat("the driver of ", device, " says that its speed is not known"));
    }
  }
  return settings->speed * kBpsPerMbps;
}

}  // namespace

EthtoolFacts ReadEthtool(const EthtoolSocket& socket, const std::string& device) {
  EthtoolFacts facts;
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  facts.told = socket.Ask(device, "ETHTOOL_GDRVINFO", &info);
  if (facts.told.ok()) {
    facts.driver = BoundedText(info.driver, sizeof(info.driver));
    facts.bus_info = BoundedText(info.bus_info, sizeof(info.bus_info));
    facts.driver_version = BoundedText(info.version, sizeof(info.version));
    facts.firmware = BoundedText(info.fw_version, sizeof(info.fw_version));
    if (facts.firmware == "N/A") facts.firmware.clear();
  }
  facts.speed_bps = ReadSpeed(socket, device);
  return facts;
}

}  // namespace tutti::observe
