#include <string>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_shape.h"

namespace tutti::plan {
namespace {

using tutti::v1::CpuChoice;
using tutti::v1::TrafficEntry;

// Why an end of the entry cannot run where its packets arrive; empty: it can.
std::string WhyNot(const TrafficEntry& entry, bool sender, const tutti::v1::Case& plan_case) {
  const tutti::v1::Exchange exchange = entry.request_response().exchange();
  if (sender && entry.protocol() == tutti::v1::PROTOCOL_UDP && exchange == tutti::v1::EXCHANGE_UNSPECIFIED) {
    return "nothing arrives at a udp sender: name its CPUs instead";
  }
  if (exchange == tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE) {
    return "with connect: true each transaction has a connection and a queue of its own: name the CPUs "
           "instead";
  }
  if (entry.threads() == tutti::v1::THREADS_PER_CPU) {
    return "a thread per CPU stays on its CPU: write threads: per_stream";
  }
  if (plan_case.timing().warmup_ns() < kLeastWarmupWithRxNs) {
    return "which CPU that is shows in the warm-up: make timing.warmup at least 100ms";
  }
  return "";
}

}  // namespace

void CheckPlacement(const tutti::v1::Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const TrafficEntry& entry = plan_case.traffic(i);
    const Node& node = *traffic->items[static_cast<size_t>(i)];
    if (node.broken || node.kind != Node::Kind::kMap) continue;
    const Node* cpus = Find(&node, "cpus");
    if (cpus == nullptr || cpus->broken || cpus->kind != Node::Kind::kMap) continue;
    for (const bool sender : {true, false}) {
      const CpuChoice& choice = sender ? entry.sender_cpus() : entry.receiver_cpus();
      const Node* value = Find(cpus, sender ? "sender" : "receiver");
      if (choice.kind() != CpuChoice::KIND_WITH_RX || value == nullptr || value->broken) continue;
      const std::string why = WhyNot(entry, sender, plan_case);
      if (why.empty()) continue;
      errors.Add(value->position, absl::StrCat("traffic[", i, "].cpus.", sender ? "sender" : "receiver"),
                 absl::StrCat("with_rx: ", why));
    }
  }
}

}  // namespace tutti::plan
