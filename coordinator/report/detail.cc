// What stands behind the table: machines, hosts and streams of every trial.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"
#include "coordinator/report/clock_offset.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/path_detail.h"
#include "coordinator/report/report.h"
#include "coordinator/report/text_table.h"
#include "coordinator/report/transactions.h"
#include "coordinator/report/way_text.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

// Where a machine has more CPUs, those that are as good as idle are left out of the list (not of the strip).
constexpr int kAllCpusUpTo = 16;
constexpr double kIdleRatio = 0.02;

constexpr size_t kAllStreamsUpTo = 100;
constexpr size_t kWorstStreams = 20;

std::string PerCent(double ratio) { return absl::StrFormat("%.0f%%", ratio * 100); }

// One block per CPU, its height the CPU's busy part; a dot is an idle CPU.
std::string Strip(const v1::MachineResult& machine) {
  static constexpr const char* kBlocks[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string strip;
  for (const v1::CpuResult& cpu : machine.per_cpu()) {
    const double busy = std::clamp(cpu.busy_ratio(), 0.0, 1.0);
    strip += kBlocks[busy < kIdleRatio ? 0 : std::max(1, static_cast<int>(std::ceil(busy * 8)))];
  }
  return strip;
}

std::string SharesText(const v1::Shares& shares) {
  return absl::StrCat("user ", PerCent(shares.user()), " nice ", PerCent(shares.nice()), " system ",
                      PerCent(shares.system()), " irq ", PerCent(shares.irq()), " softirq ",
                      PerCent(shares.softirq()));
}

std::string PerCpu(const v1::MachineResult& machine) {
  TextTable table;
  for (const char* name : {"cpu", "busy", "user", "nice", "system", "irq", "softirq", "iowait", "steal"}) {
    table.AddColumn(name);
  }
  int idle = 0;
  for (const v1::CpuResult& cpu : machine.per_cpu()) {
    if (machine.per_cpu_size() > kAllCpusUpTo && cpu.busy_ratio() < kIdleRatio) {
      ++idle;
      continue;
    }
    const v1::Shares& shares = cpu.shares();
    table.AddRow({absl::StrCat(cpu.cpu()), PerCent(cpu.busy_ratio()), PerCent(shares.user()),
                  PerCent(shares.nice()), PerCent(shares.system()), PerCent(shares.irq()),
                  PerCent(shares.softirq()), PerCent(cpu.iowait_ratio()), PerCent(cpu.steal_ratio())});
  }
  std::string text = table.rows() > 0 ? table.Render("      ") : "";
  if (idle > 0) absl::StrAppend(&text, "      ", idle, " further CPUs are less than 2% busy\n");
  return text;
}

std::string Machine(const v1::MachineResult& machine) {
  std::string text = absl::StrFormat("    %s  %s  %.2f of %.4g CPUs busy (%s, +-%s)", machine.machine(),
                                     Strip(machine), machine.cores_busy(), machine.cpus(),
                                     PerCent(machine.busy_ratio()), FormatDuration(machine.resolution_ns()));
  absl::StrAppend(&text, machine.from_cpuidle() ? "; idle from cpuidle" : "; idle from /proc/stat", "\n");
  absl::StrAppend(&text, "      shares of busy, samples of the tick: ", SharesText(machine.shares()), "\n");
  absl::StrAppendFormat(&text, "      iowait %.2f, steal %.2f, guest %.2f cores; read by %s",
                        machine.iowait_cores(), machine.steal_cores(), machine.guest_cores(),
                        machine.reader());
  if (machine.has_background_cores()) {
    absl::StrAppendFormat(&text, "; background before the case %.2f cores", machine.background_cores());
  }
  return text + "\n" + PerCpu(machine);
}

// "1.53 cores in 2"
std::string LoadThreads(const v1::HostResult& host) {
  if (!host.has_load_thread_cores()) return kNone;
  std::string text = absl::StrFormat("%.2f cores", host.load_thread_cores());
  if (host.has_load_threads()) absl::StrAppend(&text, " in ", host.load_threads());
  return text;
}

std::string Hosts(const v1::TrialResult& trial) {
  if (trial.hosts_size() == 0) return "";
  TextTable table;
  table.AddColumn("host", Align::kLeft);
  table.AddColumn("machine", Align::kLeft);
  for (const char* name : {"sent", "received", "load threads", "sampler late", "clock offset", "bound"}) {
    table.AddColumn(name);
  }
  table.AddColumn("by", Align::kLeft);
  table.AddColumn("", Align::kLeft);
  for (const v1::HostResult& host : trial.hosts()) {
    const v1::HostClock& clock = host.clock();
    table.AddRow({host.host(), absl::StrCat(host.machine(), host.shared_machine() ? " (shared)" : ""),
                  host.has_sent_bps() ? FormatRate(host.sent_bps()) : kNone,
                  host.has_received_bps() ? FormatRate(host.received_bps()) : kNone, LoadThreads(host),
                  host.missing().empty() ? FormatDuration(host.sampler_worst_lateness_ns()) : kNone,
                  host.has_clock() ? FormatClockOffset(clock.offset_ns()) : kNone,
                  host.has_clock()
                      ? FormatDuration(std::max(
                            {clock.bound_before_ns(), clock.bound_during_ns(), clock.bound_after_ns()}))
                      : kNone,
                  clock.source() == v1::CLOCK_SOURCE_UNSPECIFIED ? kNone : EnumName(clock.source()),
                  host.missing().empty() ? "" : absl::StrCat("missing: ", host.missing())});
  }
  std::string text = table.Render("    ");
  for (const v1::HostResult& host : trial.hosts()) {
    for (const v1::DeviceCounters& device : host.devices()) {
      if (device.rx_packets() == 0 && device.tx_packets() == 0) continue;
      absl::StrAppend(&text, "    ", host.host(), " ", device.device(), ": received ", device.rx_bytes(),
                      " B in ", device.rx_packets(), " packets, sent ", device.tx_bytes(), " B in ",
                      device.tx_packets(), ", dropped ", device.rx_dropped(), " + ", device.tx_dropped(),
                      ", errors ", device.rx_errors(), " + ", device.tx_errors(), "\n");
    }
    if (host.has_udp_window()) {
      const v1::UdpCounters& udp = host.udp_window();
      absl::StrAppend(&text, "    ", host.host(), " UDP in the window: in ", udp.in_datagrams(), ", out ",
                      udp.out_datagrams(), ", receive buffer errors ", udp.rcvbuf_errors(), ", other errors ",
                      udp.in_errors(), "\n");
    }
  }
  return text;
}

std::string Optional(bool present, uint64_t value) { return present ? absl::StrCat(value) : kNone; }

// The end of the trial speaks only where the window is not known: an acknowledgement that is delayed behind
// the last message gives a round trip that no message of the window had.
std::string OfWindow(const google::protobuf::RepeatedField<uint64_t>& edges, bool has_end, uint64_t at_end,
                     const char* unit) {
  if (!edges.empty()) return absl::StrCat(WindowMedian(edges), unit);
  return has_end ? absl::StrCat(at_end, unit, " (end)") : kNone;
}

// "5.468ms +-218us": a skew is true to within its bound only.
std::string Skew(bool present, int64_t skew_ns, const v1::EntryResult& entry) {
  if (!present) return kNone;
  return absl::StrCat(FormatDuration(skew_ns),
                      entry.has_skew_bound_ns() ? " +-" + FormatDuration(entry.skew_bound_ns()) : "");
}

// "    bulk: Jain index 0.998; stream 17 received least, 98.9 Kbps, the fastest 101.2 Kbps"
std::string Fairness(const v1::EntryResult& entry) {
  if (!entry.has_jain_index()) return "";
  return absl::StrCat("    ", entry.entry(), entry.reverse() ? " (reverse)" : "", ": Jain index ",
                      Index(entry.jain_index()), "; stream ", entry.slowest_stream(), " received least, ",
                      FormatRate(entry.slowest_bps()), ", the fastest ", FormatRate(entry.fastest_bps()),
                      "\n");
}

std::string Entries(const v1::TrialResult& trial) {
  TextTable table;
  table.AddColumn("entry", Align::kLeft);
  for (const char* name : {"streams", "sent", "received", "on the wire", "in flight", "lost", "drops",
                           "jitter", "retr", "skew", "first sends", "overlap", "edge error"}) {
    table.AddColumn(name);
  }
  for (const v1::EntryResult& entry : trial.entries()) {
    const auto ratio = [](bool present, double value) { return present ? FormatPercent(value) : kNone; };
    table.AddRow({absl::StrCat(entry.entry(), entry.reverse() ? " (reverse)" : ""),
                  absl::StrCat(entry.streams()), entry.has_sent_bps() ? FormatRate(entry.sent_bps()) : kNone,
                  entry.has_received_bps() ? FormatRate(entry.received_bps()) : kNone,
                  entry.has_wire_bps() ? FormatRate(entry.wire_bps()) : kNone,
                  entry.has_in_flight_bytes() ? absl::StrCat(entry.in_flight_bytes(), "B") : kNone,
                  ratio(entry.loss().has_lost_ratio(), entry.loss().lost_ratio()),
                  entry.has_socket_drops() ? TotalText(entry.socket_drops()) : kNone,
                  entry.has_jitter_ns() ? FormatDuration(static_cast<int64_t>(entry.jitter_ns())) : kNone,
                  entry.has_retransmits() ? TotalText(entry.retransmits()) : kNone,
                  Skew(entry.has_running_skew_ns(), entry.running_skew_ns(), entry),
                  Skew(entry.has_first_send_skew_ns(), entry.first_send_skew_ns(), entry),
                  ratio(entry.has_overlap_ratio(), entry.overlap_ratio()),
                  ratio(entry.has_edge_error_ratio(), entry.edge_error_ratio())});
  }
  std::string text = table.Render("    ");
  for (const v1::EntryResult& entry : trial.entries()) text += Fairness(entry);
  return text;
}

using Selection = std::vector<const v1::StreamResult*>;

bool Failed(const v1::StreamResult& stream) {
  return stream.sender().has_error() || stream.receiver().has_error();
}

// All streams; of very many those that failed and those that received least, by id.
Selection SelectStreams(const v1::TrialResult& trial) {
  Selection streams;
  for (const v1::StreamResult& stream : trial.streams()) streams.push_back(&stream);
  if (streams.size() <= kAllStreamsUpTo) return streams;
  const auto worse = [](const v1::StreamResult* a, const v1::StreamResult* b) {
    const auto rank = [](const v1::StreamResult& stream) {
      return std::make_tuple(!Failed(stream), stream.has_received_bps(), stream.received_bps());
    };
    return rank(*a) < rank(*b);
  };
  std::stable_sort(streams.begin(), streams.end(), worse);
  streams.resize(kWorstStreams);
  std::sort(streams.begin(), streams.end(), [](const v1::StreamResult* a, const v1::StreamResult* b) {
    return a->flow().stream_id() < b->flow().stream_id();
  });
  return streams;
}

std::string Streams(const Selection& streams) {
  TextTable table;
  table.AddColumn("stream");
  table.AddColumn("flow", Align::kLeft);
  for (const char* name : {"sent", "received", "lost", "reord", "late", "dup", "drops", "jitter", "retr",
                           "rtt", "cwnd", "pmtu", "stalled"}) {
    table.AddColumn(name);
  }
  for (const v1::StreamResult* each : streams) {
    const v1::StreamResult& stream = *each;
    const v1::Flow& flow = stream.flow();
    const v1::LossCounts& loss = stream.loss();
    const v1::StreamReport& sender = stream.sender();
    const bool has_tcp = sender.has_tcp();
    const v1::TcpSeries& series = stream.tcp_series();
    table.AddRow(
        {absl::StrCat(flow.stream_id()),
         absl::StrCat(flow.from_host(), " -> ", flow.to_host(), " ", flow.entry(),
                      flow.reverse() ? " (reverse)" : ""),
         stream.has_sent_bps() ? FormatRate(stream.sent_bps()) : kNone,
         stream.has_received_bps() ? FormatRate(stream.received_bps()) : kNone,
         Optional(loss.has_lost(), loss.lost()), Optional(loss.has_reordered(), loss.reordered()),
         Optional(loss.has_late(), loss.late()), Optional(loss.has_duplicates(), loss.duplicates()),
         Optional(stream.receiver().has_socket_drops_window(), stream.receiver().socket_drops_window()),
         stream.receiver().has_jitter_ns()
             ? FormatDuration(static_cast<int64_t>(stream.receiver().jitter_ns()))
             : kNone,
         Optional(stream.has_retransmits(), stream.retransmits()),
         OfWindow(series.rtt_us(), has_tcp, sender.tcp().rtt_us(), "us"),
         OfWindow(series.cwnd_segments(), has_tcp, sender.tcp().snd_cwnd_segments(), ""),
         Optional(sender.has_path_mtu_bytes(), sender.path_mtu_bytes()),
         Optional(stream.has_stalled_intervals(), stream.stalled_intervals())});
  }
  return table.Render("    ");
}

std::string Outcome(const v1::OptionOutcome& option) {
  std::string text =
      absl::StrCat(option.name(), " asked ", option.asked().empty() ? "default" : option.asked(), " got ",
                   option.got().empty() ? kNone : option.got());
  if (option.forced()) text += " (forced)";
  if (!option.applied())
    absl::StrAppend(&text, " NOT APPLIED", option.note().empty() ? "" : ": ", option.note());
  return text;
}

std::string End(const char* side, const v1::StreamReport& report, const std::string& way) {
  std::string text =
      absl::StrCat("      ", side, " ", report.local_endpoint().empty() ? kNone : report.local_endpoint());
  if (!report.egress_device().empty()) absl::StrAppend(&text, " by ", report.egress_device());
  if (report.has_cpu()) absl::StrAppend(&text, " on CPU ", report.cpu());
  if (report.has_rx_cpu()) absl::StrAppend(&text, ", packets on CPU ", report.rx_cpu());
  if (!way.empty()) absl::StrAppend(&text, "; ", way);
  for (const v1::OptionOutcome& option : report.options()) absl::StrAppend(&text, "; ", Outcome(option));
  if (report.failed_sends() > 0) absl::StrAppend(&text, "; ", report.failed_sends(), " failed sends");
  if (report.foreign() > 0) absl::StrAppend(&text, "; ", report.foreign(), " foreign");
  if (report.stray_responses() > 0) {
    absl::StrAppend(&text, "; ", report.stray_responses(), " stray responses");
  }
  text += '\n';
  for (const std::string& warning : report.warnings())
    absl::StrAppend(&text, "        warning: ", warning, "\n");
  if (report.has_error()) absl::StrAppend(&text, "        error: ", report.error().message(), "\n");
  return text;
}

std::string Trial(const v1::CaseResult& each, const v1::TrialResult& trial, const Style& style) {
  std::string text = Bold(absl::StrCat("case ", each.index() + 1, each.values_size() > 0 ? "  " : "",
                                       MatrixValues(each.values()), "  trial ", trial.repetition()),
                          style);
  absl::StrAppend(&text, "  ", Colored(Words(EnumName(trial.status())), MoodOf(trial.status()), style), "\n");
  if (trial.entries_size() > 0) text += "  entries\n" + Entries(trial);
  if (const std::string lines = TransactionDetail(trial); !lines.empty()) text += "  transactions\n" + lines;
  if (const std::string lines = CompletionDetail(trial); !lines.empty()) text += "  fixed volumes\n" + lines;
  if (trial.machines_size() > 0) text += "  machines\n";
  for (const v1::MachineResult& machine : trial.machines()) text += Machine(machine);
  if (trial.hosts_size() > 0) text += "  hosts\n" + Hosts(trial);
  if (const std::string path = PathDetail(trial); !path.empty()) text += "  path\n" + path;
  const Selection streams = SelectStreams(trial);
  if (!streams.empty()) text += "  streams\n" + Streams(streams);
  const auto left_out = static_cast<size_t>(trial.streams_size()) - streams.size();
  if (left_out > 0) {
    absl::StrAppend(&text, "    ", left_out,
                    " further streams received more and did not fail; --format json has them all\n");
  }
  for (const v1::StreamResult* shown : streams) {
    const v1::StreamResult& stream = *shown;
    if (!stream.has_sender() && !stream.has_receiver()) continue;
    absl::StrAppend(&text, "    stream ", stream.flow().stream_id(), "\n");
    if (stream.has_sender()) text += End("sender", stream.sender(), SendWayText(stream.sender()));
    if (const std::string tcp = TcpSeriesLine(stream.tcp_series()); !tcp.empty()) {
      absl::StrAppend(&text, "        ", tcp, "\n");
    }
    if (stream.has_receiver()) {
      text += End("receiver", stream.receiver(), ReceiveWayText(stream.receiver()));
    }
  }
  return text;
}

}  // namespace

std::string RenderDetail(const v1::Result& result, const Style& style) {
  std::string text;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) text += Trial(each, trial, style);
  }
  return text;
}

}  // namespace tutti::report
