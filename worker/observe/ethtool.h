// What a device's driver says that it is, over ethtool.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/observe/ethtool_socket.h"

namespace tutti::observe {

struct EthtoolFacts {
  // Of ETHTOOL_GDRVINFO: not ok if the device has no ethtool; the next four are empty then.
  absl::Status told;
  std::string driver;
  std::string bus_info;        // empty or "N/A" for most virtual devices
  std::string driver_version;  // the kernel's release where the driver has none of its own
  std::string firmware;        // empty: the driver tells none
  // ETHTOOL_GLINKSETTINGS, as the driver claims it; NotFound: it says "unknown", or there is no link.
  absl::StatusOr<uint64_t> speed_bps = absl::UnknownError("not asked");
};

// Three calls. Never fails as a whole.
EthtoolFacts ReadEthtool(const EthtoolSocket& socket, const std::string& device);

}  // namespace tutti::observe
