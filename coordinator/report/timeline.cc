// The intervals of all hosts on one time axis: one line per interval, the hosts side by side.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/report/text_table.h"
#include "coordinator/report/transactions.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

constexpr int kHostsSideBySide = 4;

const v1::HostInterval* Find(const v1::TimelineInterval& interval, const std::string& host) {
  for (const v1::HostInterval& each : interval.hosts()) {
    if (each.host() == host) return &each;
  }
  return nullptr;
}

// What a host ever did in the trial: its other columns are left out.
struct HostColumns {
  std::string host;
  bool sent = false;
  bool received = false;
  bool transactions = false;
  bool retransmits = false;
  bool cores = false;
};

std::vector<HostColumns> ColumnsOf(const v1::TrialResult& trial) {
  std::vector<HostColumns> all;
  for (const v1::HostResult& host : trial.hosts()) {
    HostColumns columns{host.host()};
    for (const v1::TimelineInterval& interval : trial.timeline()) {
      const v1::HostInterval* found = Find(interval, host.host());
      if (found == nullptr) continue;
      columns.sent = columns.sent || found->has_sent_bytes();
      columns.received = columns.received || found->has_received_bytes();
      columns.transactions = columns.transactions || found->has_transactions();
      columns.retransmits = columns.retransmits || found->has_retransmits();
      columns.cores = columns.cores || found->has_cores_busy();
    }
    all.push_back(columns);
  }
  return all;
}

void AddHostCells(const HostColumns& columns, const v1::HostInterval* interval,
                  std::vector<std::string>& cells) {
  const int64_t elapsed_ns = interval != nullptr ? interval->end_trial_ns() - interval->begin_trial_ns() : 0;
  const auto rate = [&](bool present, uint64_t bytes) {
    return present ? RateOver(bytes, elapsed_ns) : kNone;
  };
  if (columns.sent) {
    cells.push_back(interval != nullptr ? rate(interval->has_sent_bytes(), interval->sent_bytes()) : kNone);
  }
  if (columns.received) {
    cells.push_back(interval != nullptr ? rate(interval->has_received_bytes(), interval->received_bytes())
                                        : kNone);
  }
  if (columns.transactions) {
    const bool known = interval != nullptr && interval->has_transactions() && elapsed_ns > 0;
    cells.push_back(known ? PerSecond(static_cast<double>(interval->transactions()) * 1e9 /
                                      static_cast<double>(elapsed_ns))
                          : kNone);
  }
  if (columns.retransmits) {
    cells.push_back(interval != nullptr && interval->has_retransmits() ? absl::StrCat(interval->retransmits())
                                                                       : kNone);
  }
  if (columns.cores) {
    cells.push_back(interval != nullptr && interval->has_cores_busy()
                        ? absl::StrFormat("%.2f", interval->cores_busy())
                        : kNone);
  }
}

std::string Block(const v1::TrialResult& trial, const std::vector<HostColumns>& hosts) {
  TextTable table;
  table.AddColumn("interval (s)", Align::kLeft);
  for (const HostColumns& host : hosts) {
    if (host.sent) table.AddColumn(host.host + " sent");
    if (host.received) table.AddColumn(host.host + " received");
    if (host.transactions) table.AddColumn("trans/s");
    if (host.retransmits) table.AddColumn("retr");
    if (host.cores) table.AddColumn("cores");
  }
  for (const v1::TimelineInterval& interval : trial.timeline()) {
    std::vector<std::string> cells = {absl::StrCat(Seconds(interval.begin_trial_ns()), "-",
                                                   Seconds(interval.end_trial_ns()),
                                                   interval.shorter() ? " (shorter)" : "")};
    for (const HostColumns& host : hosts) AddHostCells(host, Find(interval, host.host), cells);
    table.AddRow(std::move(cells));
  }
  return table.Render("  ");
}

}  // namespace

std::string RenderTimeline(const v1::Result& result, const Style& style) {
  std::string text;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::TrialResult& trial : each.trials()) {
      if (trial.timeline_size() == 0) continue;
      absl::StrAppend(&text,
                      Bold(absl::StrCat("case ", each.index() + 1, each.values_size() > 0 ? "  " : "",
                                        MatrixValues(each.values()), "  trial ", trial.repetition()),
                           style),
                      "\n");
      const std::vector<HostColumns> hosts = ColumnsOf(trial);
      for (size_t first = 0; first < hosts.size(); first += kHostsSideBySide) {
        const size_t last = std::min(hosts.size(), first + kHostsSideBySide);
        text +=
            Block(trial, {hosts.begin() + static_cast<long>(first), hosts.begin() + static_cast<long>(last)});
      }
    }
  }
  return text;
}

}  // namespace tutti::report
