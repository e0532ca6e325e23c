#include "coordinator/cli/dry_run.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/units/units.h"
#include "coordinator/metrics/threshold_text.h"
#include "coordinator/plan/plan_loader.h"
#include "coordinator/plan/written_place.h"

namespace tutti::cli {
namespace {

using tutti::v1::Case;
using tutti::v1::Flow;
using tutti::v1::TrafficEntry;

std::string Count(uint64_t count, const std::string& noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string Values(const Case& plan_case) {
  if (plan_case.values().empty()) return "";
  return absl::StrCat("  ", absl::StrJoin(plan_case.values(), " ", [](std::string* out, const auto& value) {
                        absl::StrAppend(out, value.axis(), "=", value.value());
                      }));
}

std::string Ports(const TrafficEntry& entry) {
  std::string text = "ports chosen by the receivers";
  if (entry.has_ports()) text = absl::StrCat("ports ", entry.ports().first(), "-", entry.ports().last());
  if (entry.has_source_ports()) {
    absl::StrAppend(&text, ", source ports ", entry.source_ports().first(), "-", entry.source_ports().last());
  }
  return text;
}

std::string Buffer(bool given, uint64_t bytes) { return given ? FormatSize(bytes) : "default"; }

std::string CpuText(const tutti::v1::CpuChoice& choice) {
  switch (choice.kind()) {
    case tutti::v1::CpuChoice::KIND_LIST:
      return absl::StrCat("[", absl::StrJoin(choice.cpus(), ","), "]");
    case tutti::v1::CpuChoice::KIND_NUMA:
      return absl::StrCat("numa:", choice.numa_node());
    case tutti::v1::CpuChoice::KIND_NIC_LOCAL:
      return "nic_local";
    case tutti::v1::CpuChoice::KIND_AVOID_IRQ:
      return "avoid_irq";
    case tutti::v1::CpuChoice::KIND_WITH_RX:
      return "with_rx";
    default:
      return "any";
  }
}

// "58.9 Mbps (5000 messages/s) per stream, in bursts of 4, kept by the kernel".
std::string DescribeRate(const TrafficEntry& entry) {
  const uint64_t message_bits = 8 * entry.message_size_bytes();
  const double messages = static_cast<double>(entry.rate_bps()) / static_cast<double>(message_bits);
  const std::string count = entry.rate_bps() % message_bits == 0
                                ? absl::StrCat(entry.rate_bps() / message_bits)
                                : absl::StrFormat("%.1f", messages);
  std::string text = absl::StrCat(FormatRate(static_cast<double>(entry.rate_bps())), " (", count,
                                  " messages/s) per stream, ");
  if (entry.pacing().burst() > 1) absl::StrAppend(&text, "in bursts of ", entry.pacing().burst(), ", ");
  if (entry.pacing().keeper() == tutti::v1::Pacing::KEEPER_KERNEL) text += "kept by the kernel, ";
  if (entry.pacing().spin()) text += "with a busy CPU, ";
  return text;
}

std::string DescribeMessages(const TrafficEntry& entry) {
  if (!entry.has_request_response()) {
    return absl::StrCat("messages of ", FormatSize(entry.message_size_bytes()),
                        entry.has_volume_bytes()
                            ? absl::StrCat(" until ", FormatSize(entry.volume_bytes()), " are sent")
                            : "");
  }
  const tutti::v1::RequestResponse& asked = entry.request_response();
  return absl::StrCat(
      "requests of ", FormatSize(asked.request_bytes()), " and responses of ",
      FormatSize(asked.response_bytes()),
      asked.exchange() == tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE ? ", a connection for each" : "",
      asked.outstanding() > 1 ? absl::StrCat(", ", asked.outstanding(), " at once") : "");
}

std::string DescribeEntry(const TrafficEntry& entry) {
  std::string text =
      absl::StrCat(entry.protocol() == tutti::v1::PROTOCOL_UDP ? "udp" : "tcp", ", ", DescribeMessages(entry),
                   ", socket buffers ", Buffer(entry.has_send_buffer_bytes(), entry.send_buffer_bytes()),
                   " / ", Buffer(entry.has_receive_buffer_bytes(), entry.receive_buffer_bytes()), ", ");
  if (entry.has_rate_bps()) text += DescribeRate(entry);
  if (entry.threads() == tutti::v1::THREADS_PER_CPU) text += "a thread per CPU, ";
  if (entry.sender_cpus().kind() != tutti::v1::CpuChoice::KIND_ANY ||
      entry.receiver_cpus().kind() != tutti::v1::CpuChoice::KIND_ANY) {
    absl::StrAppend(&text, "CPUs ", CpuText(entry.sender_cpus()), " / ", CpuText(entry.receiver_cpus()),
                    ", ");
  }
  return absl::StrCat(text, Ports(entry));
}

// Host, address and device of both ends: the streams of one pair share a line.
std::string DescribePairs(const TrafficEntry& entry, const std::vector<Flow>& flows) {
  std::map<std::tuple<bool, std::string, std::string, std::string, std::string>, int> streams;
  std::vector<std::tuple<bool, std::string, std::string, std::string, std::string>> order;
  for (const Flow& flow : flows) {
    if (flow.entry() != entry.name()) continue;
    const auto key = std::make_tuple(flow.reverse(), flow.from_host(), flow.from_address(), flow.to_host(),
                                     flow.to_address());
    if (streams[key]++ == 0) order.push_back(key);
  }
  std::string text;
  for (const auto& key : order) {
    const auto& [reverse, from_host, from_address, to_host, to_address] = key;
    absl::StrAppend(&text, "    ", from_host, " ", from_address, " -> ", to_host, " ", to_address, "  ",
                    Count(streams[key], "stream"), reverse ? "  (reverse)" : "", "\n");
  }
  return text;
}

std::string DescribeCase(const Case& plan_case, size_t cases, const std::vector<Flow>& flows) {
  const int64_t trial_ns =
      plan_case.timing().warmup_ns() + plan_case.timing().measure_ns() + plan_case.timing().cooldown_ns();
  std::string text = absl::StrCat("case ", plan_case.index() + 1, "/", cases, Values(plan_case), "  ",
                                  Count(flows.size(), "stream"), ", ", Count(plan_case.repeat(), "trial"),
                                  " of ", FormatDuration(trial_ns), "\n");
  for (const TrafficEntry& entry : plan_case.traffic()) {
    absl::StrAppend(&text, "  ", entry.name(), ": ", DescribeEntry(entry), "\n", DescribePairs(entry, flows));
  }
  for (const tutti::v1::Threshold& threshold : plan_case.thresholds()) {
    absl::StrAppend(&text, "  threshold: ", metrics::ThresholdText(threshold), "\n");
  }
  return text;
}

std::string DescribeRoles(const plan::RoleHosts& roles) {
  std::string text = "roles (of the first case):\n";
  for (const auto& [role, hosts] : roles) {
    absl::StrAppend(&text, "  ", role, ": ", absl::StrJoin(hosts, ", "), "\n");
  }
  return text;
}

}  // namespace

absl::StatusOr<std::string> DescribePlan(const tutti::v1::Plan& plan,
                                         const std::vector<plan::Candidate>& fleet) {
  TUTTI_ASSIGN_OR_RETURN(const plan::Placement placement, plan::Place(plan, fleet));
  const size_t cases = static_cast<size_t>(plan.cases_size());
  std::string text =
      absl::StrCat("plan ", plan.name(), ": ", Count(cases, "case"), " on ",
                   Count(placement.hosts.size(), "host"), " (", absl::StrJoin(placement.hosts, ", "), ")\n");
  if (!placement.cases.empty()) absl::StrAppend(&text, DescribeRoles(placement.cases.front()));
  size_t most_streams = 0;
  uint64_t trials = 0;
  for (size_t i = 0; i < cases; ++i) {
    const Case& plan_case = plan.cases(static_cast<int>(i));
    const absl::StatusOr<std::vector<Flow>> flows =
        plan::ExpandFlows(plan_case, placement.cases.at(i), fleet);
    if (!flows.ok()) {
      const absl::Status status = Annotate(flows.status(), absl::StrCat("case ", i + 1, Values(plan_case)));
      return plan::WithPlace(plan, static_cast<int>(i), status);
    }
    most_streams = std::max(most_streams, flows->size());
    trials += plan_case.repeat();
    absl::StrAppend(&text, "\n", DescribeCase(plan_case, cases, *flows));
  }
  absl::StrAppend(&text, "\ntotal: ", Count(cases, "case"), ", ", Count(trials, "trial"), ", at most ",
                  Count(most_streams, "stream"), " at once, about ",
                  FormatDuration(plan::ExpectedDurationNs(plan)), "\n");
  return text;
}

}  // namespace tutti::cli
