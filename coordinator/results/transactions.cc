#include "coordinator/results/transactions.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "common/stats/latency_histogram.h"
#include "common/stats/spread.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

// Null: it cannot be one.
std::unique_ptr<LatencyHistogram> Histogram(const v1::LatencyCounts& counts) {
  auto histogram = std::make_unique<LatencyHistogram>();
  const bool possible = histogram->AddCounts(
      counts.first_bucket(), {counts.counts().data(), static_cast<size_t>(counts.counts_size())},
      static_cast<int64_t>(counts.min_ns()), static_cast<int64_t>(counts.max_ns()), counts.sum_ns());
  return possible ? std::move(histogram) : nullptr;
}

const v1::StreamReport* Report(const EndSeries* end) {
  return end == nullptr || end->failed() ? nullptr : end->report;
}

// The sum over the streams; null where one of them did not report it.
std::unique_ptr<LatencyHistogram> Merge(const std::vector<const StreamView*>& streams,
                                        bool (v1::StreamReport::*has)() const,
                                        const v1::LatencyCounts& (v1::StreamReport::*get)() const) {
  auto sum = std::make_unique<LatencyHistogram>();
  for (const StreamView* stream : streams) {
    const v1::StreamReport* report = Report(stream->sender);
    if (report == nullptr || !(report->*has)()) return nullptr;
    const std::unique_ptr<LatencyHistogram> part = Histogram((report->*get)());
    if (part == nullptr) return nullptr;
    sum->Add(*part);
  }
  return sum;
}

void Describe(const LatencyHistogram& histogram, v1::Latency& latency) {
  latency.set_transactions(histogram.count());
  latency.set_min_ns(*histogram.min_ns());
  latency.set_p50_ns(*histogram.PercentileNs(500'000));
  latency.set_p90_ns(*histogram.PercentileNs(900'000));
  latency.set_p99_ns(*histogram.PercentileNs(990'000));
  latency.set_p99_9_ns(*histogram.PercentileNs(999'000));
  latency.set_p99_99_ns(*histogram.PercentileNs(999'900));
  latency.set_max_ns(*histogram.max_ns());
  latency.set_mean_ns(*histogram.mean_ns());
}

void SetLost(const std::vector<const StreamView*>& streams, v1::EntryResult& result) {
  uint64_t lost = 0;
  for (const StreamView* stream : streams) {
    const v1::StreamReport* report = Report(stream->sender);
    if (report == nullptr || !report->has_lost_transactions()) return;
    lost += report->lost_transactions();
  }
  result.set_lost_transactions(lost);
}

// Empty: nothing contradicts itself.
std::string Impossible(const StreamView& stream, const Grid& grid) {
  const v1::StreamReport& client = *Report(stream.sender);
  if (const v1::StreamReport* server = Report(stream.receiver);
      server != nullptr && client.total_messages() > server->total_messages()) {
    return absl::StrCat(client.total_messages(), " transactions were completed, but its server read only ",
                        server->total_messages(), " requests");
  }
  for (const v1::LatencyCounts* counts : {&client.latency(), &client.corrected_latency()}) {
    if (Histogram(*counts) == nullptr) return "its counts of latencies are not those of a histogram";
  }
  const std::unique_ptr<LatencyHistogram> latency = Histogram(client.latency());
  if (latency->count() == 0) return "";
  if (latency->count() > client.total_messages()) {
    return absl::StrCat("it has the latencies of ", latency->count(), " transactions, of ",
                        client.total_messages());
  }
  // At any instant at most `outstanding` are under way, and none is counted that was begun earlier than the
  // longest before the window.
  const double outstanding = std::max<uint32_t>(1, stream.traffic->request_response().outstanding());
  const double longest_ns = static_cast<double>(grid.end_ns - grid.begin_ns + *latency->max_ns());
  const auto waited_ns = static_cast<double>(latency->sum_ns());
  if (waited_ns <= outstanding * longest_ns) return "";
  return absl::StrCat("its transactions took ", waited_ns / 1e9, " s together, more than ", outstanding,
                      " at once can take in the window");
}

}  // namespace

void SetTransactions(const std::vector<const StreamView*>& streams, const Grid& grid, bool together,
                     v1::EntryResult& result) {
  const StreamView& first = *streams.front();
  if (!first.exchanges()) return;
  result.set_exchange(first.traffic->request_response().exchange());
  if (first.udp()) SetLost(streams, result);
  const auto latency = Merge(streams, &v1::StreamReport::has_latency, &v1::StreamReport::latency);
  if (latency == nullptr) return;
  result.set_transactions(latency->count());
  if (together && grid.end_ns > grid.begin_ns) {
    result.set_transactions_per_s(static_cast<double>(latency->count()) * 1e9 /
                                  static_cast<double>(grid.end_ns - grid.begin_ns));
  }
  if (latency->count() > 0) Describe(*latency, *result.mutable_latency());
  const auto corrected =
      Merge(streams, &v1::StreamReport::has_corrected_latency, &v1::StreamReport::corrected_latency);
  if (corrected != nullptr && corrected->count() > 0) {
    Describe(*corrected, *result.mutable_corrected_latency());
  }
}

std::optional<int64_t> CompletedNs(const StreamView& stream) {
  if (!stream.has_volume()) return std::nullopt;
  const v1::StreamReport* report = Report(stream.receiver);
  if (report == nullptr || !report->has_completed_trial_ns()) return std::nullopt;
  return report->completed_trial_ns();
}

void SetCompletion(const std::vector<const StreamView*>& streams, v1::EntryResult& result) {
  if (!streams.front()->has_volume()) return;
  v1::Completion& completion = *result.mutable_completion();
  std::vector<double> times_ns;
  for (const StreamView* stream : streams) {
    if (const auto completed_ns = CompletedNs(*stream))
      times_ns.push_back(static_cast<double>(*completed_ns));
  }
  completion.set_streams(static_cast<uint32_t>(times_ns.size()));
  if (times_ns.size() < streams.size()) return;
  const std::optional<SpreadOf> spread = Spread(std::move(times_ns));
  completion.set_median_ns(spread->median);
  completion.set_max_ns(spread->max);
}

std::vector<std::string> ImpossibleTransactions(const TrialView& trial) {
  std::vector<std::string> findings;
  for (const StreamView& stream : trial.streams) {
    if (!stream.exchanges() || Report(stream.sender) == nullptr) continue;
    const std::string finding = Impossible(stream, trial.grid);
    if (!finding.empty()) findings.push_back(absl::StrCat(stream.Name(), ": ", finding));
  }
  return findings;
}

}  // namespace tutti::results
