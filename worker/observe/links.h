// The devices of the calling thread's network namespace as rtnetlink lists them (RTM_GETLINK).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tutti/v1/host.pb.h"

namespace tutti::observe {

struct Link {
  int index = 0;
  std::string name;
  uint32_t mtu_bytes = 0;
  std::string hardware_address;  // IFLA_ADDRESS as sysfs writes it: "02:42:ac:11:00:02"; empty: it has none
  std::string kind;              // IFLA_INFO_KIND: "veth", "bridge", ...; empty for hardware and lo
  std::string parent_bus;        // IFLA_PARENT_DEV_BUS_NAME (Linux 5.14): "pci", "virtio", ...
  std::string parent_name;       // IFLA_PARENT_DEV_NAME: "0000:01:00.0"
  v1::DeviceCounters counters;
  // Unset: the kernel does not tell it.
  std::optional<uint32_t> rx_queues;           // IFLA_NUM_RX_QUEUES
  std::optional<uint32_t> tx_queues;           // IFLA_NUM_TX_QUEUES
  std::optional<uint32_t> tx_queue_packets;    // IFLA_TXQLEN
  std::optional<uint32_t> gso_max_size_bytes;  // IFLA_GSO_MAX_SIZE
  std::optional<uint32_t> gro_max_size_bytes;  // IFLA_GRO_MAX_SIZE (Linux 5.19)
};

// In the order of their index.
absl::StatusOr<std::vector<Link>> ListLinks();

// The counters of every device (IFLA_STATS64). Drivers may refresh them late, some only every second.
absl::StatusOr<std::vector<v1::DeviceCounters>> ReadDeviceCounters();

}  // namespace tutti::observe
