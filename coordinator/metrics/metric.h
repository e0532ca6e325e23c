// The figures that thresholds compare: one table, from which the plan language, its JSON Schema, `tutti
// metrics`, docs/metrics.md and the judgement come. A new metric is one line of it. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/metrics/dimension.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::metrics {

enum class Better { kHigher, kLower };

// The end of the streams that a figure belongs to: which hosts and roles have it.
enum class End { kSenders, kReceivers, kEither };

// What of each interval there is to a figure.
enum class Series { kNone, kSentRate, kReceivedRate, kLoss, kRetransmits };

using Streams = std::vector<const tutti::v1::StreamResult*>;

// The entries that have a figure by their nature.
struct Kind {
  const char* name;  // "udp, one-way"
  bool (*has)(const tutti::v1::TrafficEntry& entry);
};

struct Metric {
  const char* name;
  Dimension dimension;
  Better better;
  End end;
  const Kind* kind;
  const char* definition;
  // Of an entry in one direction of one trial; nullopt: not known. Null: it is of_streams of all of them.
  std::optional<double> (*of_entry)(const tutti::v1::EntryResult& entry);
  // Of some of the entry's streams; null: it has none of its parts, which leaves the scopes total and role.
  std::optional<double> (*of_streams)(const Streams& streams, const tutti::v1::EntryResult& entry) = nullptr;
  Series series = Series::kNone;
  bool needs_several = false;  // a single stream has none
  // Why the result itself says that of_entry is not known; null: it does not.
  std::string (*why_missing)(const tutti::v1::EntryResult& entry) = nullptr;
  // Of one interval of that length while the trial runs; nullopt: not known of it. Null: of none.
  std::optional<double> (*of_live)(const tutti::v1::LiveEntry& entry, double interval_s) = nullptr;
};

const std::vector<Metric>& Metrics();
// nullptr: there is none.
const Metric* FindMetric(std::string_view name);
std::vector<std::string> MetricNames();

// Every entry has it.
bool IsOfAny(const Metric& metric);

// Whether `entry` is one of those that the threshold judges: it has the metric, the name and the role that
// are asked for. False for an unknown metric.
bool Judges(const tutti::v1::Threshold& threshold, const tutti::v1::TrafficEntry& entry, bool reverse);

// docs/metrics.md.
std::string MetricsPage();

}  // namespace tutti::metrics
