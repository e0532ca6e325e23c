#include "worker/observe/ethtool_settings.h"

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"

namespace tutti::observe {
namespace {

// By the names of netdev_features_strings in net/ethtool/common.c. Left out are tunnels, VLAN filters, FCoE
// and the like, which tutti's traffic does not use.
constexpr std::string_view kOffloads[] = {
    "rx-checksum",
    "tx-checksum-ipv4",
    "tx-checksum-ipv6",
    "tx-checksum-ip-generic",
    "tx-scatter-gather",
    "tx-scatter-gather-fraglist",
    "tx-tcp-segmentation",
    "tx-tcp6-segmentation",
    "tx-tcp-ecn-segmentation",
    "tx-tcp-mangleid-segmentation",
    "tx-generic-segmentation",
    "tx-udp-segmentation",
    "tx-gso-partial",
    "tx-gso-list",
    "rx-gro",
    "rx-gro-hw",
    "rx-gro-list",
    "rx-udp-gro-forwarding",
    "rx-lro",
    "rx-hashing",
    "rx-ntuple-filter",
    "rx-vlan-hw-parse",
    "tx-vlan-hw-insert",
    "highdma",
    "hw-tc-offload",
    "tx-nocache-copy",
};

constexpr size_t kNamesPerBlock = 32;

bool HasBit(uint32_t bits, size_t index) { return ((bits >> (index % kNamesPerBlock)) & 1u) != 0; }

// Zeroed memory for a command that ends in an array, as aligned as its 64-bit members want it.
std::vector<uint64_t> CommandMemory(size_t bytes) {
  return std::vector<uint64_t>((bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
}

absl::StatusOr<uint32_t> CountFeatureNames(const EthtoolSocket& socket, const std::string& device) {
  std::vector<uint64_t> memory = CommandMemory(sizeof(ethtool_sset_info) + sizeof(uint32_t));
  auto* command = reinterpret_cast<ethtool_sset_info*>(memory.data());
  command->cmd = ETHTOOL_GSSET_INFO;
  command->sset_mask = uint64_t{1} << ETH_SS_FEATURES;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device, "ETHTOOL_GSSET_INFO", command));
  // The sets that do not exist are taken out of the mask.
  if (command->sset_mask == 0) return absl::NotFoundError("the kernel has no names for features");
  return command->data[0];
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadFeatureNames(const EthtoolSocket& socket,
                                                          const std::string& device) {
  TUTTI_ASSIGN_OR_RETURN(const uint32_t count, CountFeatureNames(socket, device));
  std::vector<uint64_t> memory = CommandMemory(sizeof(ethtool_gstrings) + size_t{count} * ETH_GSTRING_LEN);
  auto* command = reinterpret_cast<ethtool_gstrings*>(memory.data());
  command->cmd = ETHTOOL_GSTRINGS;
  command->string_set = ETH_SS_FEATURES;
  command->len = count;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device, "ETHTOOL_GSTRINGS", command));
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(count, command->len); ++i) {
    const char* name = reinterpret_cast<const char*>(command->data) + i * ETH_GSTRING_LEN;
    names.emplace_back(name, strnlen(name, ETH_GSTRING_LEN));
  }
  return names;
}

void DecodeOffloads(const std::vector<std::string>& names,
                    const std::vector<ethtool_get_features_block>& states, v1::HostDevice* device) {
  for (const std::string_view wanted : kOffloads) {
    const auto found = std::find(names.begin(), names.end(), wanted);
    const size_t index = static_cast<size_t>(found - names.begin());
    if (found == names.end() || index / kNamesPerBlock >= states.size()) continue;
    const ethtool_get_features_block& block = states[index / kNamesPerBlock];
    v1::DeviceOffload* offload = device->add_offloads();
    offload->set_name(*found);
    offload->set_enabled(HasBit(block.active, index));
    if (!HasBit(block.available, index) || HasBit(block.never_changed, index)) {
      device->add_fixed_offloads(*found);
    }
  }
}

absl::Status FillOffloads(const EthtoolSocket& socket, const std::vector<std::string>& names,
                          v1::HostDevice* device) {
  const size_t blocks = (names.size() + kNamesPerBlock - 1) / kNamesPerBlock;
  std::vector<uint64_t> memory =
      CommandMemory(sizeof(ethtool_gfeatures) + blocks * sizeof(ethtool_get_features_block));
  auto* command = reinterpret_cast<ethtool_gfeatures*>(memory.data());
  command->cmd = ETHTOOL_GFEATURES;
  command->size = static_cast<uint32_t>(blocks);
  TUTTI_RETURN_IF_ERROR(socket.Ask(device->name(), "ETHTOOL_GFEATURES", command));
  // The answer's size is how many blocks the kernel has, not how many it filled.
  const size_t filled = std::min<size_t>(blocks, command->size);
  const std::vector<ethtool_get_features_block> states(command->features, command->features + filled);
  DecodeOffloads(names, states, device);
  if (device->offloads().empty()) return absl::NotFoundError("the kernel knows none of the offloads by name");
  return absl::OkStatus();
}

absl::Status FillRings(const EthtoolSocket& socket, v1::HostDevice* device) {
  ethtool_ringparam command{};
  command.cmd = ETHTOOL_GRINGPARAM;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device->name(), "ETHTOOL_GRINGPARAM", &command));
  v1::DeviceRings* rings = device->mutable_rings();
  rings->set_rx(command.rx_pending);
  rings->set_tx(command.tx_pending);
  rings->set_rx_max(command.rx_max_pending);
  rings->set_tx_max(command.tx_max_pending);
  return absl::OkStatus();
}

absl::Status FillCoalescing(const EthtoolSocket& socket, v1::HostDevice* device) {
  ethtool_coalesce command{};
  command.cmd = ETHTOOL_GCOALESCE;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device->name(), "ETHTOOL_GCOALESCE", &command));
  v1::DeviceCoalescing* coalescing = device->mutable_coalescing();
  coalescing->set_rx_us(command.rx_coalesce_usecs);
  coalescing->set_rx_frames(command.rx_max_coalesced_frames);
  coalescing->set_tx_us(command.tx_coalesce_usecs);
  coalescing->set_tx_frames(command.tx_max_coalesced_frames);
  coalescing->set_adaptive_rx(command.use_adaptive_rx_coalesce != 0);
  coalescing->set_adaptive_tx(command.use_adaptive_tx_coalesce != 0);
  return absl::OkStatus();
}

absl::Status FillChannels(const EthtoolSocket& socket, v1::HostDevice* device) {
  ethtool_channels command{};
  command.cmd = ETHTOOL_GCHANNELS;
  TUTTI_RETURN_IF_ERROR(socket.Ask(device->name(), "ETHTOOL_GCHANNELS", &command));
  v1::DeviceChannels* channels = device->mutable_channels();
  channels->set_rx(command.rx_count);
  channels->set_tx(command.tx_count);
  channels->set_combined(command.combined_count);
  channels->set_rx_max(command.max_rx);
  channels->set_tx_max(command.max_tx);
  channels->set_combined_max(command.max_combined);
  return absl::OkStatus();
}

}  // namespace tutti::observe
