#include "coordinator/report/path_detail.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/text_table.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

using Column = google::protobuf::RepeatedField<uint64_t>;

struct DeviceSums {
  uint64_t rx_packets = 0;
  uint64_t tx_packets = 0;
  uint64_t rx_dropped = 0;
  uint64_t tx_dropped = 0;
};

struct QdiscSums {
  uint64_t packets = 0;
  uint64_t drops = 0;
  uint64_t overlimits = 0;
  uint64_t requeues = 0;
  uint64_t most_backlog_bytes = 0;
};

using HostDevice = std::pair<std::string, std::string>;
using HostQdisc = std::tuple<std::string, std::string, std::string, uint32_t>;

void Add(const std::string& host, const v1::HostInterval& interval, std::map<HostDevice, DeviceSums>& sums) {
  for (const v1::DeviceCounters& device : interval.devices()) {
    DeviceSums& sum = sums[{host, device.device()}];
    sum.rx_packets += device.rx_packets();
    sum.tx_packets += device.tx_packets();
    sum.rx_dropped += device.rx_dropped();
    sum.tx_dropped += device.tx_dropped();
  }
}

void Add(const std::string& host, const v1::HostInterval& interval, std::map<HostQdisc, QdiscSums>& sums) {
  for (const v1::QdiscCounters& qdisc : interval.qdiscs()) {
    QdiscSums& sum = sums[{host, qdisc.device(), qdisc.kind(), qdisc.handle()}];
    sum.packets += qdisc.packets();
    sum.drops += qdisc.drops();
    sum.overlimits += qdisc.overlimits();
    sum.requeues += qdisc.requeues();
    sum.most_backlog_bytes = std::max(sum.most_backlog_bytes, qdisc.backlog_bytes());
  }
}

std::string Devices(const v1::TrialResult& trial) {
  std::map<HostDevice, DeviceSums> sums;
  for (const v1::TimelineInterval& interval : trial.timeline()) {
    for (const v1::HostInterval& host : interval.hosts()) Add(host.host(), host, sums);
  }
  if (sums.empty()) return "";
  TextTable table;
  table.AddColumn("host", Align::kLeft);
  table.AddColumn("device", Align::kLeft);
  for (const char* name : {"rx packets", "tx packets", "rx dropped", "tx dropped"}) table.AddColumn(name);
  for (const auto& [key, sum] : sums) {
    table.AddRow({key.first, key.second, absl::StrCat(sum.rx_packets), absl::StrCat(sum.tx_packets),
                  absl::StrCat(sum.rx_dropped), absl::StrCat(sum.tx_dropped)});
  }
  return table.Render("    ");
}

std::string Qdiscs(const v1::TrialResult& trial) {
  std::map<HostQdisc, QdiscSums> sums;
  for (const v1::TimelineInterval& interval : trial.timeline()) {
    for (const v1::HostInterval& host : interval.hosts()) Add(host.host(), host, sums);
  }
  if (sums.empty()) return "";
  TextTable table;
  for (const char* name : {"host", "device", "qdisc"}) table.AddColumn(name, Align::kLeft);
  for (const char* name : {"packets", "drops", "overlimits", "requeues", "backlog"}) table.AddColumn(name);
  for (const auto& [key, sum] : sums) {
    const auto& [host, device, kind, handle] = key;
    table.AddRow({host, device, absl::StrFormat("%s %x:", kind, handle >> 16), absl::StrCat(sum.packets),
                  absl::StrCat(sum.drops), absl::StrCat(sum.overlimits), absl::StrCat(sum.requeues),
                  FormatSize(sum.most_backlog_bytes)});
  }
  return table.Render("    ");
}

// Hosts that share a machine have the same figures: the first of them speaks.
std::string Softnet(const v1::TrialResult& trial) {
  std::string text;
  for (const v1::MachineResult& machine : trial.machines()) {
    v1::SoftnetCounters sum;
    bool known = false;
    for (const v1::TimelineInterval& interval : trial.timeline()) {
      for (const v1::HostInterval& host : interval.hosts()) {
        if (host.host() != machine.reader() || !host.has_softnet()) continue;
        known = true;
        sum.set_processed(sum.processed() + host.softnet().processed());
        sum.set_dropped(sum.dropped() + host.softnet().dropped());
        sum.set_time_squeeze(sum.time_squeeze() + host.softnet().time_squeeze());
      }
    }
    if (!known) continue;
    absl::StrAppend(&text, "    machine ", machine.machine(), " receive path: ", sum.processed(), " frames, ",
                    sum.dropped(), " dropped (backlog full), ", sum.time_squeeze(), " polls cut short\n");
  }
  return text;
}

std::string MedianAndRange(const Column& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return absl::StrCat(WindowMedian(values), " (", *least, "..", *most, ")");
}

uint64_t Growth(const Column& levels) {
  return levels.Get(levels.size() - 1) > levels.Get(0) ? levels.Get(levels.size() - 1) - levels.Get(0) : 0;
}

std::string PartOf(const Column& levels, uint64_t busy_us) {
  return absl::StrFormat("%.0f%%",
                         100.0 * static_cast<double>(Growth(levels)) / static_cast<double>(busy_us));
}

}  // namespace

std::string PathDetail(const v1::TrialResult& trial) {
  return absl::StrCat(Softnet(trial), Devices(trial), Qdiscs(trial));
}

uint64_t WindowMedian(const Column& edges) {
  std::vector<uint64_t> sorted(edges.begin(), edges.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

std::string TcpSeriesLine(const v1::TcpSeries& series) {
  if (series.rtt_us().empty() || series.cwnd_segments().empty()) return "";
  std::string text = absl::StrCat("rtt ", MedianAndRange(series.rtt_us()), " us, cwnd ",
                                  MedianAndRange(series.cwnd_segments()), " segments");
  if (series.busy_us().empty() || series.rwnd_limited_us().empty() || series.sndbuf_limited_us().empty()) {
    return text;
  }
  const uint64_t busy_us = Growth(series.busy_us());
  if (busy_us == 0) return text;
  absl::StrAppend(&text, "; of its busy time limited by the receiver's window ",
                  PartOf(series.rwnd_limited_us(), busy_us), ", by its send buffer ",
                  PartOf(series.sndbuf_limited_us(), busy_us));
  return text;
}

}  // namespace tutti::report
