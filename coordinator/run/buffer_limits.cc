#include "coordinator/run/buffer_limits.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::run {
namespace {

enum class Side { kSend, kReceive };

// The largest size that is asked of each host and side: one sysctl line then serves all.
using Largest = std::map<std::pair<std::string, Side>, uint64_t>;

void Ask(Largest& largest, const std::string& host, Side side, uint64_t bytes) {
  uint64_t& entry = largest[{host, side}];
  entry = std::max(entry, bytes);
}

Largest LargestBuffers(const tutti::v1::Case& plan_case, const std::vector<tutti::v1::Flow>& flows) {
  std::map<std::string, const tutti::v1::TrafficEntry*> entries;
  for (const tutti::v1::TrafficEntry& entry : plan_case.traffic()) entries[entry.name()] = &entry;
  Largest largest;
  for (const tutti::v1::Flow& flow : flows) {
    const auto found = entries.find(flow.entry());
    if (found == entries.end() || found->second->best_effort()) continue;
    const tutti::v1::TrafficEntry& entry = *found->second;
    if (entry.has_send_buffer_bytes()) Ask(largest, flow.from_host(), Side::kSend, entry.send_buffer_bytes());
    if (entry.has_receive_buffer_bytes()) {
      Ask(largest, flow.to_host(), Side::kReceive, entry.receive_buffer_bytes());
    }
  }
  return largest;
}

}  // namespace

std::vector<std::string> ForbiddenBuffers(const tutti::v1::Case& plan_case,
                                          const std::vector<tutti::v1::Flow>& flows,
                                          const std::map<std::string, tutti::v1::HostFacts>& facts) {
  std::vector<std::string> reasons;
  for (const auto& [where, bytes] : LargestBuffers(plan_case, flows)) {
    const auto& [host, side] = where;
    const auto found = facts.find(host);
    if (found == facts.end() || found->second.may_force_buffers()) continue;
    const bool send = side == Side::kSend;
    const uint64_t limit = send ? found->second.wmem_max_bytes() : found->second.rmem_max_bytes();
    if (limit == 0 || bytes <= limit) continue;
    const char* const sysctl = send ? "net.core.wmem_max" : "net.core.rmem_max";
    reasons.push_back(absl::StrCat(
        "host ", host, ": ", FormatSize(bytes), send ? " send" : " receive",
        " buffers are not possible: ", sysctl, " is ", limit,
        " and its worker may not force more (CAP_NET_ADMIN); on that host: sysctl -w ", sysctl, "=", bytes));
  }
  return reasons;
}

}  // namespace tutti::run
