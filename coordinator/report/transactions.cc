#include "coordinator/report/transactions.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/text_table.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

std::string EntryName(const v1::EntryResult& entry) {
  return absl::StrCat(entry.entry(), entry.reverse() ? " (reverse)" : "");
}

std::string PerTransaction(const v1::CpuUse& cpu) {
  if (!cpu.has_service_demand_us_per_transaction()) return kNone;
  return ThreeDigits(cpu.service_demand_us_per_transaction());
}

std::vector<std::string> LatencyCells(const v1::Latency& latency) {
  std::vector<std::string> cells = {absl::StrCat(latency.transactions())};
  for (const int64_t ns : {latency.min_ns(), latency.p50_ns(), latency.p90_ns(), latency.p99_ns(),
                           latency.p99_9_ns(), latency.p99_99_ns(), latency.max_ns()}) {
    cells.push_back(FormatDuration(ns));
  }
  cells.push_back(FormatDuration(std::llround(latency.mean_ns())));
  return cells;
}

}  // namespace

std::string PerSecond(double per_s) {
  return per_s < 100 ? ThreeDigits(per_s) : absl::StrFormat("%.0f", per_s);
}

std::string PerSecond(bool present, const v1::Spread& spread) {
  return present && spread.has_median() ? PerSecond(spread.median()) : kNone;
}

std::string TransactionDetail(const v1::TrialResult& trial) {
  TextTable table;
  table.AddColumn("entry", Align::kLeft);
  table.AddColumn("latency", Align::kLeft);
  for (const char* name : {"trans", "min", "p50", "p90", "p99", "p99.9", "p99.99", "max", "mean", "trans/s",
                           "lost", "us/trans send", "us/trans recv", "us/trans both"}) {
    table.AddColumn(name);
  }
  for (const v1::EntryResult& entry : trial.entries()) {
    if (entry.exchange() == v1::EXCHANGE_UNSPECIFIED) continue;
    std::vector<std::string> cells = {EntryName(entry), "of each request"};
    if (entry.has_latency()) {
      for (std::string& cell : LatencyCells(entry.latency())) cells.push_back(std::move(cell));
    } else {
      cells.resize(11, kNone);
    }
    cells.push_back(entry.has_transactions_per_s() ? PerSecond(entry.transactions_per_s()) : kNone);
    cells.push_back(entry.has_lost_transactions() ? absl::StrCat(entry.lost_transactions()) : kNone);
    const bool shared = entry.has_both_ends();
    cells.push_back(shared ? kNone : PerTransaction(entry.sender_cpu()));
    cells.push_back(shared ? kNone : PerTransaction(entry.receiver_cpu()));
    cells.push_back(PerTransaction(entry.both_ends()));
    table.AddRow(std::move(cells));
    if (!entry.has_corrected_latency()) continue;
    cells = {EntryName(entry), "from when it was due"};
    for (std::string& cell : LatencyCells(entry.corrected_latency())) cells.push_back(std::move(cell));
    table.AddRow(std::move(cells));
  }
  return table.rows() == 0 ? "" : table.Render("    ");
}

std::string CompletionDetail(const v1::TrialResult& trial) {
  std::string text;
  for (const v1::EntryResult& entry : trial.entries()) {
    if (!entry.has_completion()) continue;
    const v1::Completion& completion = entry.completion();
    absl::StrAppend(&text, "    ", EntryName(entry), ": ", completion.streams(), " of ", entry.streams(),
                    entry.streams() == 1 ? " stream" : " streams", " complete");
    if (completion.has_median_ns()) {
      absl::StrAppend(&text, ", the median at ", FormatDuration(std::llround(completion.median_ns())),
                      " and the last at ", FormatDuration(std::llround(completion.max_ns())), " after T0");
    }
    text += '\n';
  }
  return text;
}

}  // namespace tutti::report
