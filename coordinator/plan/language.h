// The plan language as data: every key, what its value may be, its default and a line for its users.
//
// The checker, the JSON Schema, the paths of --set and the suggestions all read this one description. A key
// that is added here is checked and in the schema at once; decode_case.cc says which field it fills.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::plan {

struct KeyTable;

constexpr uint64_t kLongestName = 64;
constexpr uint64_t kLongestCongestion = 15;  // include/net/tcp.h: TCP_CA_NAME_MAX is 16, with the NUL

enum class ValueKind {
  kInteger,   // min..max
  kSize,      // min..max bytes
  kRate,      // min..max bps, or messages per second
  kDuration,  // min..max ns
  kPercent,   // above 0%
  kBool,
  kWord,  // one of `words`
  kName,  // letters, digits, '_', '-', at most `max` of them: roles, entries, the plan
  kText,  // any text, at most `max` bytes; no scalar has control characters (yaml_reader.h)
  kHostName,
  kList,       // of `item`, not empty
  kMap,        // of `table`
  kNamedMap,   // any names, each with a value of `item`, not empty
  kCount,      // min..max or `all`
  kBuffer,     // a size or `default`
  kCpus,       // any | [0, 2, 4-7] | numa:0 | nic_local | avoid_irq | with_rx
  kPorts,      // 5201 | 5201-5300
  kNetwork,    // a CIDR or an interface name
  kAxes,       // the matrix: names, each with a list that is not empty
  kExpected,   // a metric, a comparison and a figure: loss < 0.1%
  kScope,      // total | role:NAME | host | host:NAME | pair | stream
  kThreshold,  // kExpected, or a map of `table`
};

struct ValueSpec {
  ValueKind kind;
  uint64_t min = 0;  // in the base unit of the kind
  uint64_t max = 0;
  std::vector<std::string> words = {};
  const KeyTable* table = nullptr;
  const ValueSpec* item = nullptr;
};

struct KeySpec {
  std::string name;
  ValueSpec value;
  bool required = false;
  std::string default_text;  // what holds when the key is left out; empty: nothing is set
  std::string description;
};

struct KeyTable {
  std::string what;  // "a traffic entry"
  std::vector<KeySpec> keys;

  const KeySpec* Find(std::string_view name) const;
  std::vector<std::string> Names() const;
};

// Of names of `longest` characters at most.
ValueSpec NameSpec(uint64_t longest = kLongestName);

// The whole plan. Immutable after the first call; thread-safe.
const KeyTable& PlanKeys();

// Sizes beyond which a plan is refused.
constexpr uint64_t kMostCases = 10'000;
constexpr uint64_t kMostStreams = 100'000;      // of a case
constexpr uint64_t kMostIntervals = 100'000;    // of a trial
constexpr uint64_t kMostCaseNodes = 2'000'000;  // cases x values of the plan

constexpr uint64_t kMostBurst = 65'536;
constexpr uint64_t kMostMessagesPerSecond = 1'000'000'000;
constexpr uint64_t kMostOutstanding = 1'024;

constexpr uint64_t kFastest = 10'000'000'000'000;  // 10 Tbps, of a stream

// What holds where the plan says nothing; language.cc quotes them in its descriptions.
constexpr uint64_t kDefaultUdpMessageBytes = 1472;     // fills an Ethernet frame over IPv4
constexpr uint64_t kDefaultTcpMessageBytes = 131'072;  // 128 KiB, as iperf3's
constexpr int64_t kDefaultCatchUpNs = 10'000'000;
constexpr uint32_t kDefaultBatch = 32;
constexpr int64_t kDefaultWarmupNs = 1'000'000'000;
constexpr int64_t kDefaultMeasureNs = 10'000'000'000;
constexpr int64_t kDefaultCooldownNs = 500'000'000;
constexpr int64_t kDefaultIntervalNs = 100'000'000;
constexpr int64_t kDefaultAbortGraceNs = 5'000'000'000;
constexpr uint32_t kDefaultRepeat = 1;
constexpr uint32_t kDefaultStreams = 1;

}  // namespace tutti::plan
