// What a driver tells over the SIOCETHTOOL ioctl (linux/ethtool.h), in the calling thread's network
// namespace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tutti::observe {

struct EthtoolFacts {
  std::string driver;    // ETHTOOL_GDRVINFO; empty: the device has no ethtool
  std::string bus_info;  // of the same; empty or "N/A" for most virtual devices
  std::optional<uint64_t>
      speed_bps;  // ETHTOOL_GLINKSETTINGS, as the driver claims it; unset: unknown or no link
};

// Never fails: what cannot be asked stays unset.
EthtoolFacts ReadEthtool(const std::string& device);

}  // namespace tutti::observe
