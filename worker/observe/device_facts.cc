#include "worker/observe/device_facts.h"

#include <linux/pkt_sched.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/facts/number_ranges.h"
#include "worker/observe/cpu_facts.h"
#include "worker/observe/ethtool_settings.h"
#include "worker/observe/interrupts.h"
#include "worker/observe/missing_facts.h"
#include "worker/observe/packet_steering.h"
#include "worker/observe/qdiscs.h"

namespace tutti::observe {
namespace {

// Everything that is read once for all devices.
struct Sources {
  const KernelRoots& roots;
  const EthtoolSocket& socket;
  absl::StatusOr<std::vector<std::string>> feature_names;
  absl::StatusOr<std::vector<v1::QdiscCounters>> qdiscs;
  absl::Status sysfs_namespace;  // ok: /sys/class/net shows these devices
};

// One device and the list of what could not be read of it.
struct Described {
  v1::HostDevice& device;
  v1::HostFacts& facts;

  std::string PathOf(const char* field) const { return absl::StrCat("devices[", device.name(), "].", field); }
  void Missing(const char* field, const absl::Status& why) const { AddMissing(PathOf(field), why, &facts); }
};

bool CarriesStreams(const v1::HostDevice& device, const v1::HostFacts& facts) {
  if (device.has_hardware()) return true;
  return std::any_of(facts.addresses().begin(), facts.addresses().end(), [&](const v1::HostAddress& address) {
    return address.device() == device.name() && !address.link_local();
  });
}

void FillDriver(const EthtoolFacts& ethtool, const Described& described) {
  const absl::Status none = ethtool.told.ok() ? absl::NotFoundError("the driver tells none") : ethtool.told;
  if (!ethtool.driver_version.empty()) {
    described.device.set_driver_version(ethtool.driver_version);
  } else {
    described.Missing("driver_version", none);
  }
  if (!ethtool.firmware.empty()) {
    described.device.set_firmware(ethtool.firmware);
  } else {
    described.Missing("firmware", none);
  }
}

void FillLinkSettings(const Link& link, const Described& described) {
  const struct {
    const char* field;
    const char* attribute;
    const std::optional<uint32_t>& value;
    void (v1::HostDevice::*set)(uint32_t);
  } settings[] = {
      {"rx_queues", "IFLA_NUM_RX_QUEUES", link.rx_queues, &v1::HostDevice::set_rx_queues},
      {"tx_queues", "IFLA_NUM_TX_QUEUES", link.tx_queues, &v1::HostDevice::set_tx_queues},
      {"tx_queue_packets", "IFLA_TXQLEN", link.tx_queue_packets, &v1::HostDevice::set_tx_queue_packets},
      {"gso_max_size_bytes", "IFLA_GSO_MAX_SIZE", link.gso_max_size_bytes,
       &v1::HostDevice::set_gso_max_size_bytes},
      {"gro_max_size_bytes", "IFLA_GRO_MAX_SIZE", link.gro_max_size_bytes,
       &v1::HostDevice::set_gro_max_size_bytes},
  };
  for (const auto& setting : settings) {
    if (setting.value) {
      (described.device.*setting.set)(*setting.value);
    } else {
      described.Missing(setting.field,
                        absl::NotFoundError(absl::StrCat("this kernel does not tell ", setting.attribute)));
    }
  }
}

void FillInterrupts(const KernelRoots& roots, const Link& link, const Described& described) {
  const auto affinities = InterruptAffinitiesOf(roots, link.parent_bus, link.parent_name);
  described.Missing("interrupt_affinities", affinities.status());
  if (!affinities.ok()) return;
  for (const std::vector<uint32_t>& cpus : *affinities) {
    described.device.add_interrupt_affinities(NumberRanges(cpus));
  }
}

void FillSettings(const Sources& from, const Link& link, const EthtoolFacts& ethtool,
                  const Described& described) {
  v1::HostDevice* device = &described.device;
  if (!device->has_speed_bps()) described.Missing("speed_bps", ethtool.speed_bps.status());
  if (device->local_cpus().empty()) {
    described.Missing(
        "local_cpus",
        absl::NotFoundError(link.parent_name.empty() ? "no hardware stands behind it"
                                                     : absl::StrCat("no local_cpulist at ", link.parent_bus,
                                                                    " ", link.parent_name, " or above it")));
  }
  FillDriver(ethtool, described);
  FillLinkSettings(link, described);
  described.Missing("offloads", from.feature_names.ok()
                                    ? FillOffloads(from.socket, *from.feature_names, device)
                                    : from.feature_names.status());
  described.Missing("rings", FillRings(from.socket, device));
  described.Missing("coalescing", FillCoalescing(from.socket, device));
  described.Missing("channels", FillChannels(from.socket, device));
  described.Missing("qdisc", from.qdiscs.ok() ? FillQdiscs(*from.qdiscs, device) : from.qdiscs.status());
  FillInterrupts(from.roots, link, described);
  described.Missing("steering", from.sysfs_namespace);
  if (from.sysfs_namespace.ok()) FillSteering(from.roots, device, &described.facts);
}

void AddDevice(const Sources& from, const Link& link, v1::HostFacts* facts) {
  const EthtoolFacts ethtool = ReadEthtool(from.socket, link.name);
  v1::HostDevice* device = facts->add_devices();
  device->set_name(link.name);
  device->set_mtu_bytes(link.mtu_bytes);
  if (ethtool.speed_bps.ok()) device->set_speed_bps(*ethtool.speed_bps);
  device->set_has_hardware(HasHardware(link, ethtool));
  const Described described{*device, *facts};
  const std::string& driver = ethtool.driver.empty() ? link.kind : ethtool.driver;
  if (!driver.empty()) {
    device->set_driver(driver);
  } else {
    described.Missing("driver", ethtool.told);
  }
  for (const uint32_t cpu : LocalCpusOf(from.roots, link.parent_bus, link.parent_name)) {
    device->add_local_cpus(cpu);
  }
  if (CarriesStreams(*device, *facts)) return FillSettings(from, link, ethtool, described);
  AddMissing(absl::StrCat("devices[", link.name, "]"),
             absl::NotFoundError("its settings are not read: it has neither hardware nor an address"), facts);
}

}  // namespace

bool HasHardware(const Link& link, const EthtoolFacts& ethtool) {
  if (!link.parent_name.empty()) return true;
  return link.kind.empty() && !ethtool.bus_info.empty() && ethtool.bus_info != "N/A" &&
         ethtool.driver != "tun";
}

absl::Status FillQdiscs(const std::vector<v1::QdiscCounters>& qdiscs, v1::HostDevice* device) {
  std::set<std::string> children;
  for (const v1::QdiscCounters& qdisc : qdiscs) {
    if (qdisc.device() != device->name() || qdisc.kind().empty()) continue;
    if (qdisc.parent() == TC_H_ROOT) {
      device->set_qdisc(qdisc.kind());
    } else {
      children.insert(qdisc.kind());
    }
  }
  for (const std::string& kind : children) device->add_child_qdiscs(kind);
  if (!device->has_qdisc()) return absl::NotFoundError("the kernel lists no root queueing discipline for it");
  return absl::OkStatus();
}

void FillDevices(const KernelRoots& roots, const EthtoolSocket& socket, const std::vector<Link>& links,
                 v1::HostFacts* facts) {
  if (links.empty()) return;
  const Sources from{roots, socket, ReadFeatureNames(socket, links.front().name), ReadQdiscCounters(),
                     CheckSysfsNamespace(roots, links)};
  for (const Link& link : links) AddDevice(from, link, facts);
}

}  // namespace tutti::observe
