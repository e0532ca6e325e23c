#include "worker/observe/qdiscs.h"

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>

#include <algorithm>
#include <utility>

#include "common/status/macros.h"
#include "worker/observe/rtnetlink.h"

namespace tutti::observe {
namespace {

nlmsghdr* BuildRequest(char* buffer) {
  nlmsghdr* header = mnl_nlmsg_put_header(buffer);
  header->nlmsg_type = RTM_GETQDISC;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  mnl_nlmsg_put_extra_header(header, sizeof(tcmsg));
  return header;
}

// Kernels may send a shorter or longer structure than this program knows.
template <typename Struct>
Struct Copy(const nlattr* attribute) {
  Struct copy{};
  memcpy(&copy, mnl_attr_get_payload(attribute),
         std::min<size_t>(sizeof(copy), mnl_attr_get_payload_len(attribute)));
  return copy;
}

void ReadStats(const nlattr* stats, v1::QdiscCounters* counters) {
  ForEachNested(stats, [&](const nlattr* attribute) {
    switch (mnl_attr_get_type(attribute)) {
      case TCA_STATS_BASIC: {
        const auto basic = Copy<gnet_stats_basic>(attribute);
        counters->set_bytes(basic.bytes);
        counters->set_packets(std::max<uint64_t>(counters->packets(), basic.packets));
        break;
      }
      case TCA_STATS_PKT64:
        counters->set_packets(Copy<uint64_t>(attribute));
        break;
      case TCA_STATS_QUEUE: {
        const auto queue = Copy<gnet_stats_queue>(attribute);
        counters->set_drops(queue.drops);
        counters->set_overlimits(queue.overlimits);
        counters->set_requeues(queue.requeues);
        counters->set_backlog_bytes(queue.backlog);
        break;
      }
      default:
        break;
    }
  });
}

v1::QdiscCounters ReadQdisc(const nlmsghdr* header) {
  v1::QdiscCounters qdisc;
  const auto* body = static_cast<const tcmsg*>(mnl_nlmsg_get_payload(header));
  char name[IF_NAMESIZE] = "";
  if (if_indextoname(static_cast<unsigned>(body->tcm_ifindex), name) != nullptr) qdisc.set_device(name);
  qdisc.set_handle(body->tcm_handle);
  qdisc.set_parent(body->tcm_parent);
  ForEachAttribute(header, sizeof(tcmsg), [&](const nlattr* attribute) {
    switch (mnl_attr_get_type(attribute)) {
      case TCA_KIND:
        qdisc.set_kind(mnl_attr_get_str(attribute));
        break;
      case TCA_STATS2:
        ReadStats(attribute, &qdisc);
        break;
      default:
        break;
    }
  });
  return qdisc;
}

}  // namespace

absl::StatusOr<std::vector<v1::QdiscCounters>> ReadQdiscCounters() {
  std::vector<v1::QdiscCounters> qdiscs;
  TUTTI_RETURN_IF_ERROR(RtnetlinkRequest(
      "list the queueing disciplines", BuildRequest,
      [&](const nlmsghdr* header) {
        if (header->nlmsg_type == RTM_NEWQDISC) qdiscs.push_back(ReadQdisc(header));
      },
      [&] { qdiscs.clear(); }));
  return qdiscs;
}

}  // namespace tutti::observe
