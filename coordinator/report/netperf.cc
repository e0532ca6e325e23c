// netperf's columns, which its users read by heart. Utilization is that of the machines ("S": from
// /proc/stat), service demand as netperf defines it; a figure that does not exist leaves its column empty.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/report/row_basis.h"
#include "coordinator/report/transactions.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

constexpr char kHeader[] =
    "Recv    Send    Send                          Utilization       Service Demand\n"
    "Socket  Socket  Message  Elapsed              Send     Recv     Send     Recv\n"
    "Size    Size    Size     Time     Throughput  local    remote   local    remote\n"
    "bytes   bytes   bytes    secs.    10^6bits/s  % S      % S      us/KB    us/KB\n";

constexpr char kExchangeHeader[] =
    "Socket Size     Request  Resp.    Elapsed  Trans.      CPU      CPU      S.dem    S.dem\n"
    "Send    Recv    Size     Size     Time     Rate        local    remote   local    remote\n"
    "bytes   bytes   bytes    bytes    secs.    per sec     % S      % S      us/Tr    us/Tr\n";

const v1::TrafficEntry* FindTraffic(const v1::Result& result, uint32_t case_index, const std::string& entry) {
  for (const v1::Case& plan_case : result.plan().cases()) {
    if (plan_case.index() != case_index) continue;
    for (const v1::TrafficEntry& traffic : plan_case.traffic()) {
      if (traffic.name() == entry) return &traffic;
    }
  }
  return nullptr;
}

// "1048576B" as the options' outcomes have it.
std::optional<uint64_t> BytesOf(std::string text) {
  if (!text.empty() && text.back() == 'B') text.pop_back();
  uint64_t bytes = 0;
  if (!absl::SimpleAtoi(text, &bytes)) return std::nullopt;
  return bytes;
}

// As netperf prints it: what getsockopt gives, on Linux twice what was asked for.
std::optional<uint64_t> BufferOf(const v1::StreamReport& report, const std::string& option) {
  for (const v1::OptionOutcome& outcome : report.options()) {
    if (outcome.name() != option) continue;
    const std::optional<uint64_t> bytes = BytesOf(outcome.got());
    return bytes.has_value() ? std::optional<uint64_t>(2 * *bytes) : std::nullopt;
  }
  return std::nullopt;
}

// What the kernel gave to every stream of the row; empty where it is not known or not one figure.
std::string BufferColumn(const v1::CaseResult& each, const v1::Row& row, bool receiver) {
  std::optional<uint64_t> common;
  for (const v1::TrialResult& trial : each.trials()) {
    for (const v1::StreamResult& stream : trial.streams()) {
      if (stream.flow().entry() != row.entry() || stream.flow().reverse() != row.reverse()) continue;
      const std::optional<uint64_t> bytes =
          receiver ? BufferOf(stream.receiver(), "SO_RCVBUF") : BufferOf(stream.sender(), "SO_SNDBUF");
      if (!bytes.has_value() || (common.has_value() && *common != *bytes)) return "";
      common = bytes;
    }
  }
  return common.has_value() ? absl::StrCat(*common) : "";
}

std::string Fixed(bool present, const v1::Spread& spread, double scale, int decimals) {
  if (!present || !spread.has_median()) return "";
  return absl::StrFormat("%.*f", decimals, spread.median() * scale);
}

// Where both sides share a machine, nobody's part of its CPU time is known.
std::string Utilization(const v1::Row& row, const v1::CpuSummary& cpu) {
  if (row.has_both_ends()) return "";
  return Fixed(cpu.has_busy_ratio(), cpu.busy_ratio(), 100, 2);
}

std::string Demand(const v1::CpuSummary& cpu) {
  return Fixed(cpu.has_service_demand_us_per_kb(), cpu.service_demand_us_per_kb(), 1, 3);
}

std::string DemandPerTransaction(const v1::CpuSummary& cpu) {
  return Fixed(cpu.has_service_demand_us_per_transaction(), cpu.service_demand_us_per_transaction(), 1, 3);
}

std::string StreamColumns(const v1::CaseResult& each, const v1::Row& row, const v1::TrafficEntry* traffic) {
  return absl::StrFormat(
      "%-7s %-7s %-8s %-8s %-11s %-8s %-8s %-8s %-8s", BufferColumn(each, row, true),
      BufferColumn(each, row, false), traffic != nullptr ? absl::StrCat(traffic->message_size_bytes()) : "",
      Fixed(row.has_elapsed_s(), row.elapsed_s(), 1, 2),
      Fixed(row.has_received_bps(), row.received_bps(), 1e-6, 2), Utilization(row, row.sender_cpu()),
      Utilization(row, row.receiver_cpu()), Demand(row.sender_cpu()), Demand(row.receiver_cpu()));
}

std::string ExchangeColumns(const v1::CaseResult& each, const v1::Row& row, const v1::TrafficEntry* traffic) {
  const v1::RequestResponse none;
  const v1::RequestResponse& asked = traffic != nullptr ? traffic->request_response() : none;
  return absl::StrFormat("%-7s %-7s %-8d %-8d %-8s %-11s %-8s %-8s %-8s %-8s", BufferColumn(each, row, false),
                         BufferColumn(each, row, true), asked.request_bytes(), asked.response_bytes(),
                         Fixed(row.has_elapsed_s(), row.elapsed_s(), 1, 2),
                         Fixed(row.has_transactions_per_s(), row.transactions_per_s(), 1, 2),
                         Utilization(row, row.sender_cpu()), Utilization(row, row.receiver_cpu()),
                         DemandPerTransaction(row.sender_cpu()), DemandPerTransaction(row.receiver_cpu()));
}

// The lines of one kind of row, below netperf's header of it; empty where there is none.
std::string Block(const v1::Result& result, bool exchanges) {
  std::string text;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) {
      if (Exchanges(row) != exchanges) continue;
      if (text.empty()) text = exchanges ? kExchangeHeader : kHeader;
      const v1::TrafficEntry* traffic = FindTraffic(result, each.index(), row.entry());
      std::string line = exchanges ? ExchangeColumns(each, row, traffic) : StreamColumns(each, row, traffic);
      absl::StrAppend(&line, "  case ", each.index() + 1, each.values_size() > 0 ? ": " : "",
                      MatrixValues(each.values()), ", ", row.entry(), row.reverse() ? " (reverse)" : "", ", ",
                      row.streams(), row.streams() == 1 ? " stream" : " streams");
      if (!row.has_both_ends() && WasBusyBefore(each, row, Ends::kBoth)) {
        line += ", on machines that were already busy before the case";
      }
      absl::StrAppend(&text, line, "\n");
    }
  }
  return text;
}

bool SharesMachines(const v1::Result& result) {
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) {
      if (row.has_both_ends()) return true;
    }
  }
  return false;
}

}  // namespace

std::string RenderNetperf(const v1::Result& result) {
  const std::string streams = Block(result, false);
  const std::string exchanges = Block(result, true);
  std::string text = streams.empty() && exchanges.empty() ? kHeader : streams;
  if (!streams.empty() && !exchanges.empty()) text += '\n';
  text += exchanges;
  if (SharesMachines(result)) {
    text +=
        "Utilization and service demand are left out where senders and receivers share a machine: its CPU "
        "time cannot be divided between them\n";
  }
  return text;
}

}  // namespace tutti::report
