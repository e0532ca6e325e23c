#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/suggestion/suggestion.h"
#include "common/units/stream_bounds.h"
#include "common/units/units.h"
#include "coordinator/plan/check_case.h"
#include "coordinator/plan/check_exchange.h"
#include "coordinator/plan/check_shape.h"
#include "coordinator/plan/check_ways.h"
#include "coordinator/plan/ip_address.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/patterns.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Role;
using tutti::v1::TrafficEntry;

// One entry with the nodes that it came from.
struct Context {
  const Case& plan_case;
  const TrafficEntry& entry;
  const Node& node;
  const std::string path;
  ErrorList& errors;

  const Position& Where(const std::string& key) const {
    const Node* value = Find(&node, key);
    return value == nullptr ? node.position : value->position;
  }
  void Add(const std::string& key, const std::string& message) const {
    errors.Add(Where(key), JoinPath(path, key), message);
  }
};

const Role* FindRole(const Case& plan_case, const std::string& name) {
  for (const Role& role : plan_case.roles()) {
    if (role.name() == name) return &role;
  }
  return nullptr;
}

// How many hosts the role will have; unset where only placement can tell.
std::optional<size_t> HostCount(const Case& plan_case, const Role& role) {
  if (!role.same_as().empty()) {
    const Role* other = FindRole(plan_case, role.same_as());
    if (other == nullptr || !other->same_as().empty()) return std::nullopt;
    return HostCount(plan_case, *other);
  }
  if (role.hosts_size() > 0) return role.hosts_size();
  if (role.has_count()) return role.count();
  return std::nullopt;
}

bool CheckRoleNames(const Context& context) {
  std::vector<std::string> known;
  for (const Role& role : context.plan_case.roles()) known.push_back(role.name());
  bool good = !known.empty();
  for (const auto& [key, name] :
       {std::pair("from", context.entry.from()), std::pair("to", context.entry.to())}) {
    good &= !name.empty();
    if (name.empty() || known.empty() || FindRole(context.plan_case, name) != nullptr) continue;
    context.Add(key, absl::StrCat("\"", name, "\" is not a role", DidYouMean(name, known)));
    good = false;
  }
  return good;
}

void CheckPattern(const Context& context) {
  const TrafficEntry& entry = context.entry;
  const PatternRule& rule = *FindPattern(entry.pattern());
  const std::string name(rule.name);
  const bool one_role = entry.from() == entry.to();
  if (rule.only_one_role && !one_role) {
    context.Add("to", absl::StrCat("pattern ", name, " runs within one role: write to: ", entry.from()));
    return;
  }
  if (one_role && !rule.within_one_role) {
    context.Add(
        "to", absl::StrCat("pattern ", name, " between a role and itself: add a second role, with same_as: ",
                           entry.from(), " if each host shall send to itself, and name it here"));
    return;
  }
  if (one_role && entry.pattern() == tutti::v1::PATTERN_ALL_TO_ALL && entry.both_ways()) {
    context.Add("both_ways", "all_to_all within one role already has both directions: remove both_ways");
  }
  std::optional<size_t> from = HostCount(context.plan_case, *FindRole(context.plan_case, entry.from()));
  std::optional<size_t> to = HostCount(context.plan_case, *FindRole(context.plan_case, entry.to()));
  if (!from || !to) return;
  if (absl::Status status = rule.check_counts(*from, *to); !status.ok()) {
    context.Add("pattern", absl::StrCat("pattern ", name, " ", std::string(status.message())));
  } else if (one_role && *from < 2) {
    context.Add("pattern", absl::StrCat("pattern ", name, " within one role of one host has no pair: give \"",
                                        entry.from(), "\" more hosts"));
  }
}

void CheckTransport(const Context& context) {
  const TrafficEntry& entry = context.entry;
  if (entry.protocol() == tutti::v1::PROTOCOL_UNSPECIFIED) return;
  if (entry.protocol() == tutti::v1::PROTOCOL_TCP) {
    if (Find(&context.node, "ecn") != nullptr) {
      context.Add("ecn",
                  "TCP keeps the ECN field for itself: remove ecn, or negotiate ECN with the sysctl "
                  "net.ipv4.tcp_ecn=1 on both hosts");
    }
    return;
  }
  for (const char* key : {"nodelay", "congestion", "mss"}) {
    if (Find(&context.node, key) != nullptr)
      context.Add(key, absl::StrCat(key, " is TCP's: remove it, or write protocol: tcp"));
  }
  if (entry.has_request_response()) return;  // its sizes are those of requests and responses
  const uint64_t size = entry.message_size_bytes();
  if (size > kLongestDatagramBytes) {
    context.Add("message_size",
                absl::StrCat(FormatSize(size), " is no UDP datagram: write at most ", kLongestDatagramBytes,
                             "B (the largest payload over IPv4), or 1472B to fill an Ethernet frame"));
  } else if (size < kDatagramHeaderBytes) {
    context.errors.Warn(context.Where("message_size"), JoinPath(context.path, "message_size"),
                        absl::StrCat(FormatSize(size), " leaves no room for the ", kDatagramHeaderBytes,
                                     "-byte header: the result will have no loss, order or jitter"));
  }
  if (entry.has_read_size_bytes() && entry.read_size_bytes() < size) {
    context.Add("read_size", absl::StrCat(FormatSize(entry.read_size_bytes()), " would cut datagrams of ",
                                          FormatSize(size), ": write at least ", FormatSize(size)));
  }
}

void CheckAddresses(const Context& context) {
  const TrafficEntry& entry = context.entry;
  absl::StatusOr<Cidr> cidr = ParseCidr(entry.network());
  if (!cidr.ok() || entry.ip_family() == tutti::v1::IP_FAMILY_ANY) return;
  const bool wants_v6 = entry.ip_family() == tutti::v1::IP_FAMILY_V6;
  if (cidr->network.v6 != wants_v6) {
    context.Add("network", absl::StrCat(entry.network(), " is not ", wants_v6 ? "ipv6" : "ipv4",
                                        ": change it, or the key ip"));
  }
}

// Streams of the case as far as the counts are known; false once they are too many.
void CheckTotals(const Case& plan_case, const Node& traffic, ErrorList& errors) {
  uint64_t total = 0;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const TrafficEntry& entry = plan_case.traffic(i);
    const Role* from = FindRole(plan_case, entry.from());
    const Role* to = FindRole(plan_case, entry.to());
    if (from == nullptr || to == nullptr) continue;
    const uint64_t senders = HostCount(plan_case, *from).value_or(1);
    const uint64_t receivers = HostCount(plan_case, *to).value_or(1);
    // Counts are at most 10,000 and streams 100,000: the product fits.
    const bool product = entry.pattern() == tutti::v1::PATTERN_ALL_TO_ALL;
    const uint64_t pairs = product ? senders * receivers : std::max(senders, receivers);
    total += pairs * entry.streams() * (entry.both_ways() ? 2 : 1);
    if (total <= kMostStreams) continue;
    const Node& node = *traffic.items[i];
    const Node* streams = Find(&node, "streams");
    errors.Add(streams == nullptr ? node.position : streams->position,
               absl::StrCat("traffic[", i, "].streams"),
               absl::StrCat("the case has ", total, " streams up to here, more than ", kMostStreams,
                            ": use fewer streams or hosts"));
    return;
  }
}

}  // namespace

void CheckTraffic(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* traffic = Find(&root, "traffic");
  if (traffic == nullptr || traffic->broken || traffic->kind != Node::Kind::kList) return;
  std::map<std::string, int> names;
  for (int i = 0; i < plan_case.traffic_size(); ++i) {
    const Node& node = *traffic->items[i];
    if (node.broken || node.kind != Node::Kind::kMap) continue;
    const Context context{plan_case, plan_case.traffic(i), node, absl::StrCat("traffic[", i, "]"), errors};
    auto [known, added] = names.insert({context.entry.name(), i});
    if (!added) {
      context.Add("name", absl::StrCat("traffic[", known->second, "] has the name \"", context.entry.name(),
                                       "\" too: give each entry a name of its own"));
    }
    if (CheckRoleNames(context)) CheckPattern(context);
    CheckTransport(context);
    CheckExchange(context.entry, node, context.path, errors);
    CheckWays(context.entry, node, context.path, errors);
    CheckAddresses(context);
  }
  CheckTotals(plan_case, *traffic, errors);
}

void CheckTiming(const Case& plan_case, const Node& root, ErrorList& errors) {
  const Node* timing = Find(&root, "timing");
  const tutti::v1::Timing& values = plan_case.timing();
  const auto where = [&](const char* key) {
    const Node* value = Find(timing, key);
    return value != nullptr ? value->position : timing != nullptr ? timing->position : root.position;
  };
  if (values.interval_ns() > values.measure_ns()) {
    errors.Add(Find(timing, "interval") != nullptr ? where("interval") : where("measure"), "timing.interval",
               absl::StrCat(FormatDuration(values.interval_ns()), " is longer than measure, ",
                            FormatDuration(values.measure_ns()), ": write at most that"));
  } else if (static_cast<uint64_t>(values.measure_ns() / values.interval_ns()) > kMostIntervals) {
    errors.Add(where("interval"), "timing.interval",
               absl::StrCat(
                   "cuts measure, ", FormatDuration(values.measure_ns()), ", into more than ", kMostIntervals,
                   " intervals: write at least ",
                   FormatDuration((values.measure_ns() / kMostIntervals + 999'999) / 1'000'000 * 1'000'000)));
  }
  if (values.warmup_ns() == 0) {
    errors.Warn(where("warmup"), "timing.warmup",
                "without a warm-up the streams' start counts: choose one longer than the running skew");
  }
}

}  // namespace tutti::plan
