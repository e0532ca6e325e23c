#include "coordinator/plan/language.h"

#include <utility>

#include "common/units/stream_bounds.h"
#include "coordinator/plan/patterns.h"

namespace tutti::plan {
namespace {

constexpr uint64_t kUs = 1'000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kHour = 3'600'000'000'000;
constexpr uint64_t kDay = 24 * kHour;
constexpr uint64_t kMiB = 1 << 20;

// The kernel halves what it stores: more than INT_MAX / 2 is clamped without a word (net/core/sock.c).
constexpr uint64_t kLargestBuffer = 1'073'741'823;
constexpr uint64_t kLargestMessage = 256 * kMiB;
// net/ipv4/tcp.c, TCP_MAXSEG: TCP_MIN_MSS to MAX_TCP_WINDOW.
constexpr uint64_t kSmallestMss = 88;
constexpr uint64_t kLargestMss = 32'767;
constexpr uint64_t kLargestVolume = uint64_t{1} << 50;  // 1 PiB

ValueSpec Number(ValueKind kind, uint64_t min, uint64_t max) {
  ValueSpec spec{kind};
  spec.min = min;
  spec.max = max;
  return spec;
}
ValueSpec Word(std::vector<std::string> words) {
  ValueSpec spec{ValueKind::kWord};
  spec.words = std::move(words);
  return spec;
}
ValueSpec MapOf(const KeyTable& table) {
  ValueSpec spec{ValueKind::kMap};
  spec.table = &table;
  return spec;
}
ValueSpec Of(ValueKind kind, const ValueSpec& item) {
  ValueSpec spec{kind};
  spec.item = &item;
  return spec;
}

const KeyTable& RoleKeys() {
  static const ValueSpec host{ValueKind::kHostName};
  static const ValueSpec label = Number(ValueKind::kText, 0, 253);
  static const KeyTable table = {
      "a role",
      {
          {"count", Number(ValueKind::kCount, 1, 10'000), false, "",
           "How many of the workers that match, or all of those that no other role takes"},
          {"hosts", Of(ValueKind::kList, host), false, "", "Workers by name, in this order"},
          {"labels", Of(ValueKind::kNamedMap, label), false, "",
           "Only workers that have all of these labels; goes with count"},
          {"same_as", NameSpec(), false, "", "The hosts of another role, in the same order"},
      }};
  return table;
}

const KeyTable& BufferKeys() {
  static const ValueSpec buffer = Number(ValueKind::kBuffer, 1, kLargestBuffer);
  static const KeyTable table = {
      "socket_buffer",
      {
          {"send", buffer, false, "default", "SO_SNDBUF of the sender, or default: the kernel's autotuning"},
          {"receive", buffer, false, "default",
           "SO_RCVBUF of the receiver, or default: the kernel's autotuning"},
      }};
  return table;
}

const KeyTable& CpuKeys() {
  // NR_CPUS is at most 8192.
  static const ValueSpec cpus = Number(ValueKind::kCpus, 0, 8191);
  static const KeyTable table = {
      "cpus",
      {
          {"sender", cpus, false, "any", "CPUs of the sending threads, round robin over the host's streams"},
          {"receiver", cpus, false, "any",
           "CPUs of the receiving threads, round robin over the host's streams"},
      }};
  return table;
}

const KeyTable& RequestResponseKeys() {
  static const KeyTable table = {
      "request_response",
      {
          {"request", Number(ValueKind::kSize, 1, kLargestMessage), false, "1B, 24B for udp",
           "What the sender asks with"},
          {"response", Number(ValueKind::kSize, 1, kLargestMessage), false, "1B, 24B for udp",
           "What the receiver answers with"},
          {"outstanding", Number(ValueKind::kInteger, 1, kMostOutstanding), false, "1",
           "Requests under way at once on each stream"},
          {"connect",
           {ValueKind::kBool},
           false,
           "false",
           "A connection of its own for each transaction (tcp): netperf's TCP_CRR"},
      }};
  return table;
}

const KeyTable& TrafficKeys() {
  static const KeyTable table = {
      "a traffic entry",
      {
          {"name", NameSpec(), false, "entry-1, entry-2, ... by place", "Names its rows in the report"},
          {"from", NameSpec(), true, "", "The role that sends"},
          {"to", NameSpec(), true, "", "The role that receives"},
          {"pattern", Word(PatternNames()), false, "pairs", "Which host sends to which"},
          {"both_ways", {ValueKind::kBool}, false, "false", "Adds the reverse pairs as streams of their own"},
          {"streams", Number(ValueKind::kInteger, 1, kMostStreams), false, "1",
           "Streams of each ordered pair of hosts"},
          {"protocol", Word({"tcp", "udp"}), true, "", "The transport"},
          {"message_size", Number(ValueKind::kSize, 1, kLargestMessage), false,
           "1472B for udp, 128KiB for tcp", "What one send call is given: for udp the payload of a datagram"},
          {"read_size", Number(ValueKind::kSize, 1, kLargestMessage), false, "chosen and reported",
           "What one receive call asks for"},
          {"socket_buffer", MapOf(BufferKeys()), false, "", "Socket buffers of both ends"},
          {"cpus", MapOf(CpuKeys()), false, "", "Where the threads of both ends run"},
          {"network",
           {ValueKind::kNetwork},
           false,
           "the address that reaches the coordinator",
           "Which of the hosts' addresses carry the data: a CIDR or an interface name"},
          {"ip", Word({"any", "ipv4", "ipv6"}), false, "any", "The address family"},
          {"nodelay", {ValueKind::kBool}, false, "the kernel's", "TCP_NODELAY (tcp)"},
          {"congestion", NameSpec(kLongestCongestion), false, "the kernel's", "TCP_CONGESTION (tcp)"},
          {"mss", Number(ValueKind::kSize, kSmallestMss, kLargestMss), false, "the kernel's",
           "TCP_MAXSEG (tcp)"},
          {"dscp", Number(ValueKind::kInteger, 0, 63), false, "0", "The DSCP of sent packets"},
          {"rate", Number(ValueKind::kRate, 1, kFastest), false, "as fast as it goes",
           "Payload bits per second of each stream, or messages per second, as 5000pps"},
          {"catch_up", Number(ValueKind::kDuration, 0, kHour), false, "10ms",
           "After a hold-up at most this much of the rate is made up for; 0ms: nothing is"},
          {"burst", Number(ValueKind::kInteger, 1, kMostBurst), false, "1",
           "Messages that a stream with a rate sends together"},
          {"pacing", Word({"sleep", "spin", "kernel"}), false, "sleep",
           "Who keeps the rate: the thread, which sleeps or spins until the next burst, or the kernel by "
           "SO_MAX_PACING_RATE (tcp)"},
          {"send", Word({"write", "sendmmsg", "gso", "sendfile", "zerocopy"}), false, "write",
           "How messages are handed to the kernel; sendmmsg and gso are udp's, sendfile is tcp's"},
          {"receive", Word({"read", "recvmmsg", "gro"}), false, "read",
           "How messages are taken from the kernel; recvmmsg and gro are udp's"},
          {"batch", Number(ValueKind::kInteger, 1, kMostBatch), false,
           "32, for gso as many as a datagram of 65507B holds, 64 at most",
           "Messages per call, at most: of sendmmsg, gso and recvmmsg"},
          {"discard",
           {ValueKind::kBool},
           false,
           "false",
           "The receiver lets the kernel drop the payload (MSG_TRUNC)"},
          {"receive_wait", Word({"block", "poll"}), false, "block",
           "What a receiver does that finds nothing: sleep until it is woken, or ask again for some "
           "microseconds before, as long as that pays"},
          {"threads", Word({"per_stream", "per_cpu"}), false, "per_stream",
           "One thread for each stream, or one for each CPU that serves the streams in turn"},
          {"request_response", MapOf(RequestResponseKeys()), false, "one-way",
           "The sender asks and the receiver answers, netperf's RR; the latency is reported"},
          {"bytes", Number(ValueKind::kSize, 1, kLargestVolume), false, "until the cool-down is over",
           "What each stream sends before it ends"},
          {"priority", Number(ValueKind::kInteger, 0, 15), false, "the kernel's",
           "SO_PRIORITY; above 6 needs CAP_NET_ADMIN"},
          {"mark", Number(ValueKind::kInteger, 0, UINT32_MAX), false, "0", "SO_MARK; needs CAP_NET_ADMIN"},
          {"ecn", Word({"not_ect", "ect0", "ect1", "ce"}), false, "the kernel's",
           "The ECN field of sent packets (udp)"},
          {"ports", {ValueKind::kPorts}, false, "any free port", "The receivers' ports"},
          {"source_ports", {ValueKind::kPorts}, false, "any free port", "The senders' ports"},
          {"best_effort",
           {ValueKind::kBool},
           false,
           "false",
           "An option that cannot be applied is marked instead of failing the trial"},
      }};
  return table;
}

const KeyTable& TimingKeys() {
  static const KeyTable table = {
      "timing",
      {
          {"warmup", Number(ValueKind::kDuration, 0, kDay), false, "1s", "All send, nothing counts"},
          {"measure", Number(ValueKind::kDuration, 10 * kMs, 7 * kDay), false, "10s",
           "The window that counts"},
          {"cooldown", Number(ValueKind::kDuration, 10 * kMs, kDay), false, "500ms",
           "All still send, nothing counts"},
          {"interval", Number(ValueKind::kDuration, 10 * kMs, kDay), false, "100ms",
           "One slice of the timeline, the same on every host"},
      }};
  return table;
}

const KeyTable& LimitKeys() {
  static const KeyTable table = {"limits",
                                 {
                                     {"start_skew", Number(ValueKind::kDuration, kUs, kHour), false, "",
                                      "The streams' steady starts lie at most this far apart"},
                                     {"overlap",
                                      {ValueKind::kPercent},
                                      false,
                                      "",
                                      "At least this part of the window is covered by every stream"},
                                     {"clock_error", Number(ValueKind::kDuration, kUs, kHour), false, "",
                                      "Every host's clock is known at least this well"},
                                 }};
  return table;
}

const KeyTable& ThresholdKeys() {
  static const KeyTable table = {
      "a threshold",
      {
          {"expect",
           {ValueKind::kExpected},
           true,
           "",
           "A metric, one of < <= > >= and a figure, as in loss < 0.1%; tutti metrics lists the metrics"},
          {"entry", NameSpec(), false, "each that has the metric", "The traffic entry that it judges"},
          {"scope",
           {ValueKind::kScope},
           false,
           "total",
           "Whose figure: total, role:NAME, host, host:NAME, pair or stream; of several the worst decides"},
          {"window", Word({"measure", "worst_interval"}), false, "measure",
           "The whole measure window, or its worst interval"},
          {"severity", Word({"warn", "fail"}), false, "fail",
           "fail: the run has not passed (exit code 4); warn: it is only shown"},
          {"abort",
           {ValueKind::kBool},
           false,
           "false",
           "Ends the run as soon as a running trial has missed it for the grace period"},
          {"grace", Number(ValueKind::kDuration, 10 * kMs, kDay), false, "5s",
           "Of abort: how long it has to be missed without a break, in the measure window"},
      }};
  return table;
}

}  // namespace

ValueSpec NameSpec(uint64_t longest) { return Number(ValueKind::kName, 1, longest); }

const KeySpec* KeyTable::Find(std::string_view name) const {
  for (const KeySpec& key : keys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string> KeyTable::Names() const {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const KeySpec& key : keys) names.push_back(key.name);
  return names;
}

const KeyTable& PlanKeys() {
  static const ValueSpec role = MapOf(RoleKeys());
  static const ValueSpec entry = MapOf(TrafficKeys());
  static const ValueSpec threshold = [] {
    ValueSpec spec{ValueKind::kThreshold};
    spec.table = &ThresholdKeys();
    return spec;
  }();
  static const KeyTable table = {
      "a plan",
      {
          {"version", Number(ValueKind::kInteger, 1, 1), true, "", "Of the plan language: 1"},
          {"name", NameSpec(), true, "", "Names the plan in reports and files"},
          {"roles", Of(ValueKind::kNamedMap, role), true, "", "Where: names that placement fills with hosts"},
          {"matrix",
           {ValueKind::kAxes},
           false,
           "one case",
           "Axes by name, each with its values; each combination is a case"},
          {"traffic", Of(ValueKind::kList, entry), true, "", "What: who sends to whom, and how"},
          {"timing", MapOf(TimingKeys()), false, "", "When: the phases of a trial"},
          {"repeat", Number(ValueKind::kInteger, 1, 1'000), false, "1", "Trials of each case"},
          {"limits", MapOf(LimitKeys()), false, "", "Beyond these a trial does not count"},
          {"thresholds", Of(ValueKind::kList, threshold), false, "",
           "What each case has to reach, as in throughput.received >= 9.4Gbps"},
      }};
  return table;
}

}  // namespace tutti::plan
