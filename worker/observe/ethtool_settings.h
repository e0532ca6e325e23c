// How a device is set, over ethtool: offloads, rings, coalescing, channels.
#pragma once

#include <linux/ethtool.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"
#include "worker/observe/ethtool_socket.h"

namespace tutti::observe {

// The kernel's names for the features of devices (ETH_SS_FEATURES), in the order of their bits. Any device
// does: they are the same for all. Two calls.
absl::StatusOr<std::vector<std::string>> ReadFeatureNames(const EthtoolSocket& socket,
                                                          const std::string& device);

// Those of `names` that the table in ethtool_settings.cc has, into offloads and fixed_offloads; each block
// of `states` is for 32 names. As ethtool says it, fixed is what is not available to be changed or never
// changes. Pure.
void DecodeOffloads(const std::vector<std::string>& names,
                    const std::vector<ethtool_get_features_block>& states, v1::HostDevice* device);

// One call each, of `device->name`; an error leaves the field unset.
absl::Status FillOffloads(const EthtoolSocket& socket, const std::vector<std::string>& names,
                          v1::HostDevice* device);
absl::Status FillRings(const EthtoolSocket& socket, v1::HostDevice* device);
absl::Status FillCoalescing(const EthtoolSocket& socket, v1::HostDevice* device);
absl::Status FillChannels(const EthtoolSocket& socket, v1::HostDevice* device);

}  // namespace tutti::observe
