#include "coordinator/results/trial_view.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using Column = const google::protobuf::RepeatedField<uint64_t>& (v1::EdgeSample::*)() const;

bool HasColumns(const v1::EdgeSample& edge, size_t streams) {
  return static_cast<size_t>(edge.bytes_size()) == streams && edge.end_trial_ns() >= edge.begin_trial_ns();
}

// nullopt where the column is absent or steps back.
std::optional<uint64_t> Difference(const v1::EdgeSample& begin, const v1::EdgeSample& end, Column column,
                                   size_t index) {
  const auto& before = (begin.*column)();
  const auto& after = (end.*column)();
  if (index >= static_cast<size_t>(before.size()) || index >= static_cast<size_t>(after.size()))
    return std::nullopt;
  const int i = static_cast<int>(index);
  if (after[i] < before[i]) return std::nullopt;
  return after[i] - before[i];
}

// A level, unlike a counter, may fall. nullopt where it is absent.
std::optional<int64_t> QueueChange(const v1::EdgeSample& begin, const v1::EdgeSample& end, size_t index) {
  const int i = static_cast<int>(index);
  if (i >= begin.queued_bytes_size() || i >= end.queued_bytes_size()) return std::nullopt;
  return static_cast<int64_t>(end.queued_bytes(i)) - static_cast<int64_t>(begin.queued_bytes(i));
}

void PlaceEdges(const Grid& grid, HostSeries& host) {
  const HostInput& input = *host.input;
  host.edges.assign(grid.intervals + 1, nullptr);
  const auto place = [&](const v1::EdgeSample& edge) {
    if (edge.index() > grid.intervals) return;
    if (!HasColumns(edge, input.stream_ids.size())) {
      host.faults.push_back(absl::StrCat("host ", input.host, ": edge ", edge.index(), " has ",
                                         edge.bytes_size(), " counters for ", input.stream_ids.size(),
                                         " streams; it is left out"));
      return;
    }
    host.edges[edge.index()] = &edge;
  };
  if (input.report.has_value()) {
    for (const v1::EdgeSample& edge : input.report->edges()) place(edge);
  } else {
    for (const v1::EdgeSample& edge : input.progress) place(edge);
  }
  host.missing_edges = static_cast<uint32_t>(std::count(host.edges.begin(), host.edges.end(), nullptr));
}

void MeasureWindow(const Grid& grid, HostSeries& host) {
  const v1::EdgeSample* first = host.edges.front();
  const v1::EdgeSample* last = host.edges.back();
  if (first == nullptr || last == nullptr || grid.intervals == 0) return;
  host.begin_ns = MiddleNs(*first);
  host.end_ns = MiddleNs(*last);
  if (host.end_ns <= host.begin_ns) {
    host.faults.push_back(absl::StrCat("host ", host.input->host, ": its window ends at ", host.end_ns,
                                       " ns and begins at ", host.begin_ns, " ns of the trial"));
    return;
  }
  host.has_window = true;
  const int64_t half_reads = (first->end_trial_ns() - first->begin_trial_ns()) / 2 +
                             (last->end_trial_ns() - last->begin_trial_ns()) / 2;
  const int64_t lateness = (host.end_ns - grid.end_ns) - (host.begin_ns - grid.begin_ns);
  host.edge_error_ns = half_reads + (lateness < 0 ? -lateness : lateness);
}

void CountIntervals(const HostSeries& host, EndSeries& end) {
  std::vector<uint64_t> intervals;
  intervals.reserve(host.edges.size());
  for (size_t k = 0; k + 1 < host.edges.size(); ++k) {
    const std::optional<uint64_t> bytes =
        Difference(*host.edges[k], *host.edges[k + 1], &v1::EdgeSample::bytes, end.column);
    if (!bytes.has_value()) {
      end.bytes.reset();
      return;
    }
    intervals.push_back(*bytes);
  }
  end.interval_bytes = std::move(intervals);
}

v1::Side SideOf(const HostInput& input, size_t column) {
  return column < input.stream_sides.size() ? input.stream_sides[column] : v1::SIDE_UNSPECIFIED;
}

// The reports of a host by stream and side; a stream that failed is known by its failure.
using EndKey = std::pair<uint32_t, v1::Side>;
std::map<EndKey, const v1::StreamReport*> ReportsOf(const HostInput& input) {
  std::map<EndKey, const v1::StreamReport*> reports;
  if (input.report.has_value()) {
    for (const v1::StreamReport& report : input.report->streams()) {
      reports[{report.stream_id(), report.side()}] = &report;
    }
  }
  for (const v1::StreamReport& report : input.failed_streams)
    reports[{report.stream_id(), report.side()}] = &report;
  return reports;
}

EndSeries ReadEnd(const HostSeries& host, size_t column, const v1::StreamReport* report,
                  std::vector<std::string>& faults) {
  const HostInput& input = *host.input;
  EndSeries end;
  end.stream_id = input.stream_ids[column];
  end.side = SideOf(input, column);
  end.column = column;
  end.report = report;
  // What a failed stream moved is not what the trial asked for: its part is missing, not small.
  if (!host.has_window || end.failed()) return end;
  const v1::EdgeSample& first = *host.edges.front();
  const v1::EdgeSample& last = *host.edges.back();
  end.bytes = Difference(first, last, &v1::EdgeSample::bytes, column);
  if (end.bytes.has_value() && host.missing_edges == 0) CountIntervals(host, end);
  if (!end.bytes.has_value()) {
    faults.push_back(absl::StrCat("host ", input.host, ": the byte counter of stream ", end.stream_id,
                                  " stepped back inside the window"));
    return end;
  }
  end.kernel_bytes = Difference(first, last, &v1::EdgeSample::kernel_bytes, column);
  end.queue_change_bytes = QueueChange(first, last, column);
  if (end.side == v1::SIDE_SEND) {
    end.retransmits = Difference(first, last, &v1::EdgeSample::retransmits, column);
  }
  return end;
}

HostSeries ReadHost(const HostInput& input, const Grid& grid) {
  HostSeries host;
  host.input = &input;
  PlaceEdges(grid, host);
  MeasureWindow(grid, host);
  const std::map<EndKey, const v1::StreamReport*> reports = ReportsOf(input);
  for (size_t column = 0; column < input.stream_ids.size(); ++column) {
    const auto report = reports.find({input.stream_ids[column], SideOf(input, column)});
    host.ends.push_back(
        ReadEnd(host, column, report == reports.end() ? nullptr : report->second, host.faults));
  }
  if (input.clock_restarts.value_or(0) > 0) {
    host.warnings.push_back(absl::StrCat("host ", input.host, ": its clock contradicted its own history ",
                                         *input.clock_restarts,
                                         " times while the trial ran (a step, a suspend, hard slewing); its "
                                         "instants are true to their bound only"));
  }
  if (host.has_window && host.missing_edges > 0) {
    host.warnings.push_back(absl::StrCat("host ", input.host, ": ", host.missing_edges, " of ",
                                         host.edges.size(),
                                         " readings are missing inside the window; its totals are exact, its "
                                         "intervals are not known"));
  }
  return host;
}

}  // namespace

int64_t Grid::DueNs(uint32_t edge) const {
  return std::min(end_ns, begin_ns + static_cast<int64_t>(edge) * interval_ns);
}

bool Grid::LastIsShorter() const { return interval_ns > 0 && (end_ns - begin_ns) % interval_ns != 0; }

Grid GridOf(const v1::Timing& timing) {
  Grid grid;
  grid.begin_ns = timing.warmup_ns();
  grid.end_ns = timing.warmup_ns() + timing.measure_ns();
  grid.interval_ns = timing.interval_ns() > 0 ? timing.interval_ns() : timing.measure_ns();
  if (timing.measure_ns() > 0) {
    grid.intervals = static_cast<uint32_t>((timing.measure_ns() + grid.interval_ns - 1) / grid.interval_ns);
  }
  return grid;
}

int64_t ClockBound(const HostSeries& host, int64_t trial_ns, TimelineTime t0) {
  const HostInput& input = *host.input;
  // Renewed mappings have their own bounds; the largest stands for all of the trial.
  const TimelineTime at = input.refits > 0 ? t0 : t0 + trial_ns;
  return std::max(input.largest_bound_ns, input.mapping.BoundAt(input.mapping.ToHost(at)));
}

int64_t MiddleNs(const v1::EdgeSample& edge) {
  return edge.begin_trial_ns() + (edge.end_trial_ns() - edge.begin_trial_ns()) / 2;
}

std::string StreamView::Name() const {
  return absl::StrCat("stream ", flow->stream_id(), " (", flow->from_host(), " -> ", flow->to_host(), ", ",
                      flow->entry(), ")");
}

TrialView::TrialView(const TrialInput& trial) : input(&trial), grid(GridOf(trial.plan_case.timing())) {
  for (const HostInput& host : trial.hosts) hosts.push_back(ReadHost(host, grid));
  std::sort(hosts.begin(), hosts.end(),
            [](const HostSeries& a, const HostSeries& b) { return a.input->host < b.input->host; });
  std::map<std::pair<const HostSeries*, EndKey>, const EndSeries*> ends;
  for (size_t i = 0; i < hosts.size(); ++i) {
    by_name_.emplace(hosts[i].input->host, i);
    for (const EndSeries& end : hosts[i].ends) ends[{&hosts[i], {end.stream_id, end.side}}] = &end;
  }
  const auto find_end = [&](const HostSeries* host, uint32_t stream_id, v1::Side side) {
    const auto found = ends.find({host, {stream_id, side}});
    return found == ends.end() ? nullptr : found->second;
  };
  for (const v1::Flow& flow : trial.flows) {
    StreamView stream;
    stream.flow = &flow;
    for (const v1::TrafficEntry& traffic : trial.plan_case.traffic()) {
      if (traffic.name() == flow.entry()) stream.traffic = &traffic;
    }
    stream.from = FindHost(flow.from_host());
    stream.to = FindHost(flow.to_host());
    stream.sender = find_end(stream.from, flow.stream_id(), v1::SIDE_SEND);
    stream.receiver = find_end(stream.to, flow.stream_id(), v1::SIDE_RECEIVE);
    streams.push_back(stream);
  }
  std::sort(streams.begin(), streams.end(), [](const StreamView& a, const StreamView& b) {
    return a.flow->stream_id() < b.flow->stream_id();
  });
}

const HostSeries* TrialView::FindHost(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &hosts[found->second];
}

}  // namespace tutti::results
