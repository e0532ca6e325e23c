#include "worker/observe/links.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "worker/observe/rtnetlink.h"

namespace tutti::observe {
namespace {

nlmsghdr* BuildRequest(char* buffer) {
  nlmsghdr* header = mnl_nlmsg_put_header(buffer);
  header->nlmsg_type = RTM_GETLINK;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  auto* body = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg)));
  body->ifi_family = AF_UNSPEC;
  return header;
}

void ReadStats(const nlattr* attribute, v1::DeviceCounters* counters) {
  // Copied: attributes are aligned to 4 bytes only, and kernels may send a shorter or longer structure.
  rtnl_link_stats64 stats{};
  memcpy(&stats, mnl_attr_get_payload(attribute),
         std::min<size_t>(sizeof(stats), mnl_attr_get_payload_len(attribute)));
  counters->set_rx_bytes(stats.rx_bytes);
  counters->set_tx_bytes(stats.tx_bytes);
  counters->set_rx_packets(stats.rx_packets);
  counters->set_tx_packets(stats.tx_packets);
  counters->set_rx_dropped(stats.rx_dropped);
  counters->set_tx_dropped(stats.tx_dropped);
  counters->set_rx_errors(stats.rx_errors);
  counters->set_tx_errors(stats.tx_errors);
}

std::string HardwareAddressOf(const nlattr* attribute) {
  const auto* bytes = static_cast<const uint8_t*>(mnl_attr_get_payload(attribute));
  std::string text;
  for (uint16_t i = 0; i < mnl_attr_get_payload_len(attribute); ++i) {
    absl::StrAppend(&text, text.empty() ? "" : ":", absl::Hex(bytes[i], absl::kZeroPad2));
  }
  return text;
}

std::string KindOf(const nlattr* link_info) {
  std::string kind;
  ForEachNested(link_info, [&](const nlattr* attribute) {
    if (mnl_attr_get_type(attribute) == IFLA_INFO_KIND) kind = mnl_attr_get_str(attribute);
  });
  return kind;
}

Link ReadLink(const nlmsghdr* header) {
  Link link;
  const auto* body = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(header));
  link.index = body->ifi_index;
  ForEachAttribute(header, sizeof(ifinfomsg), [&](const nlattr* attribute) {
    switch (mnl_attr_get_type(attribute)) {
      case IFLA_IFNAME:
        link.name = mnl_attr_get_str(attribute);
        break;
      case IFLA_MTU:
        link.mtu_bytes = mnl_attr_get_u32(attribute);
        break;
      case IFLA_ADDRESS:
        link.hardware_address = HardwareAddressOf(attribute);
        break;
      case IFLA_LINKINFO:
        link.kind = KindOf(attribute);
        break;
      case IFLA_PARENT_DEV_BUS_NAME:
        link.parent_bus = mnl_attr_get_str(attribute);
        break;
      case IFLA_PARENT_DEV_NAME:
        link.parent_name = mnl_attr_get_str(attribute);
        break;
      case IFLA_NUM_RX_QUEUES:
        link.rx_queues = mnl_attr_get_u32(attribute);
        break;
      case IFLA_NUM_TX_QUEUES:
        link.tx_queues = mnl_attr_get_u32(attribute);
        break;
      case IFLA_TXQLEN:
        link.tx_queue_packets = mnl_attr_get_u32(attribute);
        break;
      case IFLA_GSO_MAX_SIZE:
        link.gso_max_size_bytes = mnl_attr_get_u32(attribute);
        break;
      case IFLA_GRO_MAX_SIZE:
        link.gro_max_size_bytes = mnl_attr_get_u32(attribute);
        break;
      case IFLA_STATS64:
        ReadStats(attribute, &link.counters);
        break;
      default:
        break;
    }
  });
  link.counters.set_device(link.name);
  return link;
}

}  // namespace

absl::StatusOr<std::vector<Link>> ListLinks() {
  std::vector<Link> links;
  TUTTI_RETURN_IF_ERROR(RtnetlinkRequest(
      "list the devices", BuildRequest,
      [&](const nlmsghdr* header) {
        if (header->nlmsg_type == RTM_NEWLINK) links.push_back(ReadLink(header));
      },
      [&] { links.clear(); }));
  std::sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.index < b.index; });
  return links;
}

absl::StatusOr<std::vector<v1::DeviceCounters>> ReadDeviceCounters() {
  TUTTI_ASSIGN_OR_RETURN(std::vector<Link> links, ListLinks());
  std::vector<v1::DeviceCounters> counters;
  counters.reserve(links.size());
  for (Link& link : links) counters.push_back(std::move(link.counters));
  return counters;
}

}  // namespace tutti::observe
