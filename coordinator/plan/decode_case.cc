#include "coordinator/plan/decode_case.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/units/stream_bounds.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/patterns.h"
#include "coordinator/plan/threshold_parser.h"
#include "coordinator/plan/value_parser.h"

namespace tutti::plan {
namespace {

using tutti::v1::Case;
using tutti::v1::Limits;
using tutti::v1::Role;
using tutti::v1::Threshold;
using tutti::v1::Timing;
using tutti::v1::TrafficEntry;

// The values of one map, by the language's own description of its keys. Anything that is not as described is
// unset.
class Fields {
 public:
  Fields(const Node* node, const KeyTable& table) : node_(node), table_(table) {}

  const Node* Raw(const std::string& key) const {
    const Node* value = Find(node_, key);
    return value == nullptr || value->broken ? nullptr : value;
  }
  std::optional<uint64_t> Number(const std::string& key) const { return Get<uint64_t>(key, ParseNumber); }
  std::optional<StreamRate> Rate(const std::string& key) const {
    return Get<StreamRate>(key, ParseStreamRate);
  }
  std::optional<std::string> Text(const std::string& key) const { return Get<std::string>(key, ParseText); }
  std::optional<CountValue> Count(const std::string& key) const { return Get<CountValue>(key, ParseCount); }
  std::optional<std::optional<uint64_t>> Buffer(const std::string& key) const {
    return Get<std::optional<uint64_t>>(key, ParseBuffer);
  }
  std::optional<tutti::v1::CpuChoice> Cpus(const std::string& key) const {
    return Get<tutti::v1::CpuChoice>(key, ParseCpus);
  }
  std::optional<bool> Bool(const std::string& key) const {
    return Get<bool>(key, [](const Node& node, const ValueSpec&) { return ParseBool(node); });
  }
  std::optional<double> Ratio(const std::string& key) const {
    return Get<double>(key, [](const Node& node, const ValueSpec&) { return ParseRatio(node); });
  }
  std::optional<tutti::v1::PortRange> Ports(const std::string& key) const {
    return Get<tutti::v1::PortRange>(key,
                                     [](const Node& node, const ValueSpec&) { return ParsePorts(node); });
  }
  std::optional<std::string> Network(const std::string& key) const {
    return Get<std::string>(key, [](const Node& node, const ValueSpec&) { return ParseNetwork(node); });
  }
  std::optional<Expected> Expectation(const std::string& key) const {
    return Get<Expected>(key, [](const Node& node, const ValueSpec&) { return ParseExpected(node); });
  }
  std::optional<Scope> ScopeOf(const std::string& key) const {
    return Get<Scope>(key, [](const Node& node, const ValueSpec&) { return ParseScope(node); });
  }
  Fields Map(const std::string& key) const { return Fields(Raw(key), *table_.Find(key)->value.table); }

 private:
  template <class T, class Parser>
  std::optional<T> Get(const std::string& key, Parser parse) const {
    const Node* value = Raw(key);
    if (value == nullptr) return std::nullopt;
    absl::StatusOr<T> parsed = parse(*value, table_.Find(key)->value);
    if (!parsed.ok()) return std::nullopt;
    return *std::move(parsed);
  }

  const Node* node_;
  const KeyTable& table_;
};

Role DecodeRole(const Entry& entry, const KeyTable& table) {
  const Fields fields(entry.value->broken ? nullptr : entry.value.get(), table);
  Role role;
  role.set_name(entry.key);
  if (auto count = fields.Count("count")) {
    if (count->all) {
      role.set_all(true);
    } else {
      role.set_count(count->count);
    }
  }
  if (const Node* hosts = fields.Raw("hosts")) {
    for (const NodePtr& host : hosts->items) {
      if (host->kind == Node::Kind::kScalar) role.add_hosts(host->text);
    }
  }
  if (const Node* labels = fields.Raw("labels")) {
    for (const Entry& label : labels->entries) {
      if (label.value->kind == Node::Kind::kScalar) (*role.mutable_labels())[label.key] = label.value->text;
    }
  }
  if (auto same_as = fields.Text("same_as")) role.set_same_as(*same_as);
  return role;
}

void DecodeTransport(const Fields& fields, TrafficEntry& entry) {
  if (auto protocol = fields.Text("protocol")) {
    entry.set_protocol(*protocol == "tcp" ? tutti::v1::PROTOCOL_TCP : tutti::v1::PROTOCOL_UDP);
  }
  const uint64_t usual =
      entry.protocol() == tutti::v1::PROTOCOL_TCP ? kDefaultTcpMessageBytes : kDefaultUdpMessageBytes;
  entry.set_message_size_bytes(fields.Number("message_size").value_or(usual));
  if (auto bytes = fields.Number("read_size")) entry.set_read_size_bytes(*bytes);
  const Fields buffers = fields.Map("socket_buffer");
  if (auto send = buffers.Buffer("send"); send && *send) entry.set_send_buffer_bytes(**send);
  if (auto receive = buffers.Buffer("receive"); receive && *receive)
    entry.set_receive_buffer_bytes(**receive);
  if (auto nodelay = fields.Bool("nodelay")) entry.set_nodelay(*nodelay);
  if (auto congestion = fields.Text("congestion")) entry.set_congestion(*congestion);
  if (auto mss = fields.Number("mss")) entry.set_mss_bytes(static_cast<uint32_t>(*mss));
  if (auto dscp = fields.Number("dscp")) entry.set_dscp(static_cast<uint32_t>(*dscp));
  if (auto ports = fields.Ports("ports")) *entry.mutable_ports() = *ports;
  if (auto ports = fields.Ports("source_ports")) *entry.mutable_source_ports() = *ports;
  entry.set_best_effort(fields.Bool("best_effort").value_or(false));
}

// Words of the language, in the order of the enumeration's values; `first` is that of the first word.
template <class Enum>
Enum Choose(const Fields& fields, const std::string& key, std::initializer_list<const char*> words,
            Enum first) {
  const std::string word = fields.Text(key).value_or(*words.begin());
  const auto found = std::find(words.begin(), words.end(), word);
  return static_cast<Enum>(static_cast<int>(first) +
                           (found == words.end() ? 0 : static_cast<int>(found - words.begin())));
}

uint32_t UsualBatch(const TrafficEntry& entry) {
  if (entry.ways().send() != tutti::v1::SEND_WAY_GSO) return kDefaultBatch;
  const uint64_t fit = kLongestDatagramBytes / std::max<uint64_t>(1, entry.message_size_bytes());
  return static_cast<uint32_t>(std::clamp<uint64_t>(fit, 1, kMostGsoSegments));
}

void DecodeWays(const Fields& fields, TrafficEntry& entry) {
  tutti::v1::Ways& ways = *entry.mutable_ways();
  ways.set_send(Choose(fields, "send", {"write", "sendmmsg", "gso", "sendfile", "zerocopy"},
                       tutti::v1::SEND_WAY_WRITE));
  ways.set_receive(Choose(fields, "receive", {"read", "recvmmsg", "gro"}, tutti::v1::RECEIVE_WAY_READ));
  const bool batches = ways.send() == tutti::v1::SEND_WAY_SENDMMSG ||
                       ways.send() == tutti::v1::SEND_WAY_GSO ||
                       ways.receive() == tutti::v1::RECEIVE_WAY_RECVMMSG;
  ways.set_batch(static_cast<uint32_t>(fields.Number("batch").value_or(batches ? UsualBatch(entry) : 1)));
  ways.set_discard(fields.Bool("discard").value_or(false));
  ways.set_receive_wait(Choose(fields, "receive_wait", {"block", "poll"}, tutti::v1::RECEIVE_WAIT_BLOCK));
  entry.set_threads(Choose(fields, "threads", {"per_stream", "per_cpu"}, tutti::v1::THREADS_PER_STREAM));
}

void DecodePacing(const Fields& fields, TrafficEntry& entry) {
  const auto rate = fields.Rate("rate");
  if (!rate) return;
  // At most 10^9 x 2^28 x 8: it fits.
  entry.set_rate_bps(rate->in_messages ? rate->value * entry.message_size_bytes() * 8 : rate->value);
  tutti::v1::Pacing& pacing = *entry.mutable_pacing();
  const std::string keeper = fields.Text("pacing").value_or("sleep");
  pacing.set_keeper(keeper == "kernel" ? tutti::v1::Pacing::KEEPER_KERNEL : tutti::v1::Pacing::KEEPER_TUTTI);
  pacing.set_spin(keeper == "spin");
  pacing.set_catch_up_ns(static_cast<int64_t>(fields.Number("catch_up").value_or(kDefaultCatchUpNs)));
  pacing.set_burst(static_cast<uint32_t>(fields.Number("burst").value_or(1)));
}

void DecodeMarks(const Fields& fields, TrafficEntry& entry) {
  tutti::v1::PacketMarks marks;
  if (auto priority = fields.Number("priority")) marks.set_priority(static_cast<uint32_t>(*priority));
  if (auto mark = fields.Number("mark")) marks.set_mark(static_cast<uint32_t>(*mark));
  if (fields.Raw("ecn") != nullptr) {
    marks.set_ecn(Choose(fields, "ecn", {"ect1", "ect0", "ce", "not_ect"}, tutti::v1::ECN_ECT1));
  }
  if (marks.has_priority() || marks.has_mark() || marks.has_ecn()) *entry.mutable_marks() = marks;
}

void DecodeExchange(const Fields& fields, TrafficEntry& entry) {
  if (auto bytes = fields.Number("bytes")) entry.set_volume_bytes(*bytes);
  if (fields.Raw("request_response") == nullptr) return;
  const Fields keys = fields.Map("request_response");
  tutti::v1::RequestResponse& exchange = *entry.mutable_request_response();
  exchange.set_exchange(keys.Bool("connect").value_or(false) ? tutti::v1::EXCHANGE_CONNECT_REQUEST_RESPONSE
                                                             : tutti::v1::EXCHANGE_REQUEST_RESPONSE);
  const uint64_t least = entry.protocol() == tutti::v1::PROTOCOL_UDP ? kDatagramHeaderBytes : 1;
  exchange.set_request_bytes(keys.Number("request").value_or(least));
  exchange.set_response_bytes(keys.Number("response").value_or(least));
  entry.set_message_size_bytes(exchange.request_bytes());
  exchange.set_outstanding(static_cast<uint32_t>(keys.Number("outstanding").value_or(1)));
}

TrafficEntry DecodeEntry(const Node* node, size_t index, const KeyTable& table) {
  const Fields fields(node, table);
  TrafficEntry entry;
  entry.set_name(fields.Text("name").value_or(absl::StrCat("entry-", index + 1)));
  entry.set_from(fields.Text("from").value_or(""));
  entry.set_to(fields.Text("to").value_or(""));
  entry.set_pattern(FindPattern(fields.Text("pattern").value_or("pairs"))->id);
  entry.set_both_ways(fields.Bool("both_ways").value_or(false));
  entry.set_streams(static_cast<uint32_t>(fields.Number("streams").value_or(kDefaultStreams)));
  DecodeTransport(fields, entry);
  DecodeWays(fields, entry);
  DecodeExchange(fields, entry);
  DecodePacing(fields, entry);
  DecodeMarks(fields, entry);
  const Fields cpus = fields.Map("cpus");
  *entry.mutable_sender_cpus() = cpus.Cpus("sender").value_or(tutti::v1::CpuChoice());
  *entry.mutable_receiver_cpus() = cpus.Cpus("receiver").value_or(tutti::v1::CpuChoice());
  entry.set_network(fields.Network("network").value_or(""));
  const std::string ip = fields.Text("ip").value_or("any");
  entry.set_ip_family(ip == "ipv4"   ? tutti::v1::IP_FAMILY_V4
                      : ip == "ipv6" ? tutti::v1::IP_FAMILY_V6
                                     : tutti::v1::IP_FAMILY_ANY);
  return entry;
}

Timing DecodeTiming(const Fields& fields) {
  Timing timing;
  timing.set_warmup_ns(static_cast<int64_t>(fields.Number("warmup").value_or(kDefaultWarmupNs)));
  timing.set_measure_ns(static_cast<int64_t>(fields.Number("measure").value_or(kDefaultMeasureNs)));
  timing.set_cooldown_ns(static_cast<int64_t>(fields.Number("cooldown").value_or(kDefaultCooldownNs)));
  timing.set_interval_ns(static_cast<int64_t>(fields.Number("interval").value_or(kDefaultIntervalNs)));
  return timing;
}

Limits DecodeLimits(const Fields& fields) {
  Limits limits;
  if (auto skew = fields.Number("start_skew")) limits.set_start_skew_ns(static_cast<int64_t>(*skew));
  if (auto overlap = fields.Ratio("overlap")) limits.set_overlap_ratio(*overlap);
  if (auto error = fields.Number("clock_error")) limits.set_clock_error_ns(static_cast<int64_t>(*error));
  return limits;
}

// One that cannot be read has no metric: the others keep their places.
Threshold DecodeThreshold(const Node& node, const KeyTable& table) {
  const bool whole = node.kind == Node::Kind::kMap;
  const Fields fields(whole ? &node : nullptr, table);
  std::optional<Expected> expected = fields.Expectation("expect");
  if (!whole && !node.broken) {
    if (absl::StatusOr<Expected> parsed = ParseExpected(node); parsed.ok()) expected = *parsed;
  }
  Threshold threshold;
  if (expected) {
    threshold.set_metric(expected->metric->name);
    threshold.set_comparison(expected->comparison);
    threshold.set_limit(expected->limit);
  }
  threshold.set_entry(fields.Text("entry").value_or(""));
  const Scope scope = fields.ScopeOf("scope").value_or(Scope());
  threshold.set_scope(scope.scope);
  threshold.set_member(scope.member);
  threshold.set_window(
      Choose(fields, "window", {"measure", "worst_interval"}, tutti::v1::THRESHOLD_WINDOW_MEASURE));
  const std::string severity = fields.Text("severity").value_or("fail");
  threshold.set_severity(severity == "warn" ? tutti::v1::SEVERITY_WARN : tutti::v1::SEVERITY_FAIL);
  threshold.set_abort(fields.Bool("abort").value_or(false));
  if (threshold.abort()) {
    threshold.set_abort_grace_ns(static_cast<int64_t>(fields.Number("grace").value_or(kDefaultAbortGraceNs)));
  }
  return threshold;
}

}  // namespace

Case DecodeCase(const Node& root) {
  const KeyTable& table = PlanKeys();
  const Fields plan(&root, table);
  Case decoded;
  if (const Node* roles = plan.Raw("roles")) {
    for (const Entry& entry : roles->entries) {
      *decoded.add_roles() = DecodeRole(entry, *table.Find("roles")->value.item->table);
    }
  }
  if (const Node* traffic = plan.Raw("traffic")) {
    for (size_t i = 0; i < traffic->items.size(); ++i) {
      const Node* item = traffic->items[i]->broken ? nullptr : traffic->items[i].get();
      *decoded.add_traffic() = DecodeEntry(item, i, *table.Find("traffic")->value.item->table);
    }
  }
  *decoded.mutable_timing() = DecodeTiming(plan.Map("timing"));
  decoded.set_repeat(static_cast<uint32_t>(plan.Number("repeat").value_or(kDefaultRepeat)));
  *decoded.mutable_limits() = DecodeLimits(plan.Map("limits"));
  if (const Node* thresholds = plan.Raw("thresholds")) {
    for (const NodePtr& item : thresholds->items) {
      *decoded.add_thresholds() = DecodeThreshold(*item, *table.Find("thresholds")->value.item->table);
    }
  }
  return decoded;
}

}  // namespace tutti::plan
