#include "coordinator/results/path_counters.h"

#include <algorithm>

namespace tutti::results {
namespace {

namespace v1 = tutti::v1;

using Column = google::protobuf::RepeatedField<uint64_t>;

uint64_t Forward(uint64_t begin, uint64_t end) { return end > begin ? end - begin : 0; }

bool EveryEdgeKnows(const HostSeries* host, const EndSeries* end) {
  if (host == nullptr || end == nullptr || end->failed() || host->edges.empty()) return false;
  return std::none_of(host->edges.begin(), host->edges.end(),
                      [](const v1::EdgeSample* edge) { return edge == nullptr; });
}

// One column of every edge; empty if an edge does not have it.
void Copy(const HostSeries& host, size_t column, const Column& (v1::EdgeSample::*values)() const,
          Column* into) {
  for (const v1::EdgeSample* edge : host.edges) {
    const Column& row = (edge->*values)();
    if (static_cast<int>(column) >= row.size()) return into->Clear();
    into->Add(row[static_cast<int>(column)]);
  }
}

bool Same(const v1::QdiscCounters& a, const v1::QdiscCounters& b) {
  return a.device() == b.device() && a.handle() == b.handle() && a.parent() == b.parent() &&
         a.kind() == b.kind();
}

v1::QdiscCounters Between(const v1::QdiscCounters& begin, const v1::QdiscCounters& end) {
  v1::QdiscCounters difference = end;
  difference.set_bytes(Forward(begin.bytes(), end.bytes()));
  difference.set_packets(Forward(begin.packets(), end.packets()));
  difference.set_drops(Forward(begin.drops(), end.drops()));
  difference.set_overlimits(Forward(begin.overlimits(), end.overlimits()));
  difference.set_requeues(Forward(begin.requeues(), end.requeues()));
  return difference;
}

}  // namespace

std::optional<v1::TcpSeries> TcpSeriesOf(const StreamView& stream) {
  if (!stream.one_connection() || !EveryEdgeKnows(stream.from, stream.sender)) return std::nullopt;
  const HostSeries& host = *stream.from;
  const size_t column = stream.sender->column;
  v1::TcpSeries series;
  Copy(host, column, &v1::EdgeSample::retransmits, series.mutable_retransmits());
  if (series.retransmits().empty()) return std::nullopt;  // of very many streams it is not read at every edge
  Copy(host, column, &v1::EdgeSample::rtt_us, series.mutable_rtt_us());
  Copy(host, column, &v1::EdgeSample::cwnd_segments, series.mutable_cwnd_segments());
  Copy(host, column, &v1::EdgeSample::delivery_rate_bytes_per_s, series.mutable_delivery_rate_bytes_per_s());
  Copy(host, column, &v1::EdgeSample::busy_us, series.mutable_busy_us());
  Copy(host, column, &v1::EdgeSample::rwnd_limited_us, series.mutable_rwnd_limited_us());
  Copy(host, column, &v1::EdgeSample::sndbuf_limited_us, series.mutable_sndbuf_limited_us());
  return series;
}

std::vector<uint64_t> SocketDropsOf(const StreamView& stream) {
  if (!stream.udp() || !EveryEdgeKnows(stream.to, stream.receiver)) return {};
  // A receiver whose kernel does not tell has zeros on every edge and no count of the whole trial.
  if (stream.receiver->report == nullptr || !stream.receiver->report->has_socket_drops_window()) return {};
  Column levels;
  Copy(*stream.to, stream.receiver->column, &v1::EdgeSample::socket_drops, &levels);
  std::vector<uint64_t> drops;
  for (int k = 0; k + 1 < levels.size(); ++k) {
    drops.push_back(static_cast<uint32_t>(levels[k + 1] - levels[k]));  // the counter wraps at 2^32
  }
  return drops;
}

v1::DeviceCounters Between(const v1::DeviceCounters& begin, const v1::DeviceCounters& end) {
  v1::DeviceCounters difference;
  difference.set_device(end.device());
  difference.set_rx_bytes(Forward(begin.rx_bytes(), end.rx_bytes()));
  difference.set_tx_bytes(Forward(begin.tx_bytes(), end.tx_bytes()));
  difference.set_rx_packets(Forward(begin.rx_packets(), end.rx_packets()));
  difference.set_tx_packets(Forward(begin.tx_packets(), end.tx_packets()));
  difference.set_rx_dropped(Forward(begin.rx_dropped(), end.rx_dropped()));
  difference.set_tx_dropped(Forward(begin.tx_dropped(), end.tx_dropped()));
  difference.set_rx_errors(Forward(begin.rx_errors(), end.rx_errors()));
  difference.set_tx_errors(Forward(begin.tx_errors(), end.tx_errors()));
  return difference;
}

void AddPathCounters(const v1::EdgeSample& begin, const v1::EdgeSample& end, v1::HostInterval& interval) {
  for (const v1::DeviceCounters& last : end.devices()) {
    for (const v1::DeviceCounters& first : begin.devices()) {
      if (first.device() == last.device()) *interval.add_devices() = Between(first, last);
    }
  }
  for (const v1::QdiscCounters& last : end.qdiscs()) {
    for (const v1::QdiscCounters& first : begin.qdiscs()) {
      if (Same(first, last)) *interval.add_qdiscs() = Between(first, last);
    }
  }
}

std::optional<v1::SoftnetCounters> SoftnetBetween(const v1::EdgeSample& begin, const v1::EdgeSample& end) {
  if (!begin.has_softnet() || !end.has_softnet()) return std::nullopt;
  v1::SoftnetCounters difference;
  difference.set_processed(Forward(begin.softnet().processed(), end.softnet().processed()));
  difference.set_dropped(Forward(begin.softnet().dropped(), end.softnet().dropped()));
  difference.set_time_squeeze(Forward(begin.softnet().time_squeeze(), end.softnet().time_squeeze()));
  difference.set_net_rx(Forward(begin.softnet().net_rx(), end.softnet().net_rx()));
  difference.set_net_tx(Forward(begin.softnet().net_tx(), end.softnet().net_tx()));
  return difference;
}

}  // namespace tutti::results
