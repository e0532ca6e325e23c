// One line per event of a run that goes on.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/units/units.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/figures.h"
#include "coordinator/report/report.h"
#include "coordinator/report/transactions.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

const v1::Case* FindCase(const v1::Result& head, uint32_t index) {
  for (const v1::Case& each : head.plan().cases()) {
    if (each.index() == index) return &each;
  }
  return nullptr;
}

// "retr" has a column only where TCP sends. `head` may lack the case: then the figures decide.
bool HasTcp(const v1::Case* each) {
  if (each == nullptr) return false;
  for (const v1::TrafficEntry& entry : each->traffic()) {
    if (entry.protocol() == v1::PROTOCOL_TCP) return true;
  }
  return false;
}

bool HasRetransmits(const v1::LiveInterval& interval) {
  for (const v1::LiveEntry& entry : interval.entries()) {
    if (entry.has_retransmits()) return true;
  }
  return false;
}

bool HasExchange(const v1::Case* each) {
  if (each == nullptr) return false;
  return std::any_of(each->traffic().begin(), each->traffic().end(),
                     [](const v1::TrafficEntry& entry) { return entry.has_request_response(); });
}

bool HasTransactions(const v1::LiveInterval& interval) {
  return std::any_of(interval.entries().begin(), interval.entries().end(),
                     [](const v1::LiveEntry& entry) { return entry.has_transactions_per_s(); });
}

struct LiveColumns {
  bool transactions = false;
  bool retransmits = false;
};

struct LiveCells {
  std::string time;
  std::string sent;
  std::string received;
  std::string transactions;
  std::string retransmits;
};

std::string LiveLine(const LiveCells& cells, const LiveColumns& columns) {
  std::string line = absl::StrFormat("  %13s  %12s  %12s", cells.time, cells.sent, cells.received);
  if (columns.transactions) absl::StrAppendFormat(&line, "  %9s", cells.transactions);
  if (columns.retransmits) absl::StrAppendFormat(&line, "  %6s", cells.retransmits);
  return line;
}

// Names are shown only where there is more than one line per interval.
bool NeedsNames(const v1::LiveInterval& interval) { return interval.entries_size() > 1; }

}  // namespace

std::string RenderLiveQueued(const v1::RunEvent& event, const Style& style) {
  if (event.queued().waits_for_size() == 0) return "";
  std::string text =
      absl::StrCat(event.run_id(), " waits in the queue at place ", event.queued().position(), " for\n");
  for (const std::string& what : event.queued().waits_for()) absl::StrAppend(&text, "  ", what, "\n");
  return text;
}

std::string RenderLiveTrialStarted(const v1::TrialStarted& trial, const v1::Result& head,
                                   const Style& style) {
  std::string title = absl::StrCat("case ", trial.case_index() + 1);
  if (head.plan().cases_size() > 0) absl::StrAppend(&title, "/", head.plan().cases_size());
  std::string text = Bold(title, style);
  if (const v1::Case* each = FindCase(head, trial.case_index()); each != nullptr && each->values_size() > 0) {
    absl::StrAppend(&text, "  ", MatrixValues(each->values()));
  }
  absl::StrAppend(&text, "  trial ", trial.repetition(), "/", trial.repetitions(), "  ", trial.streams(),
                  trial.streams() == 1 ? " stream" : " streams", "\n");
  const v1::Case* plan_case = FindCase(head, trial.case_index());
  return text +
         LiveLine({"s since T0", "sent", "received", "trans/s", "retr"},
                  {HasExchange(plan_case), HasTcp(plan_case)}) +
         "\n";
}

std::string RenderLiveInterval(const v1::LiveInterval& interval, const v1::Result& head, const Style& style) {
  std::string text;
  const v1::Case* plan_case = FindCase(head, interval.case_index());
  const LiveColumns columns{HasExchange(plan_case) || HasTransactions(interval),
                            HasTcp(plan_case) || HasRetransmits(interval)};
  for (const v1::LiveEntry& entry : interval.entries()) {
    const std::string time =
        absl::StrCat(Seconds(interval.begin_trial_ns()), "-", Seconds(interval.end_trial_ns()));
    std::string line = LiveLine({time, entry.has_sent_bps() ? FormatRate(entry.sent_bps()) : kNone,
                                 entry.has_received_bps() ? FormatRate(entry.received_bps()) : kNone,
                                 entry.has_transactions_per_s() ? PerSecond(entry.transactions_per_s()) : "",
                                 entry.has_retransmits() ? absl::StrCat(entry.retransmits()) : ""},
                                columns);
    if (NeedsNames(interval))
      absl::StrAppend(&line, "  ", entry.entry(), entry.reverse() ? " (reverse)" : "");
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string RenderLiveTrialEnded(const v1::TrialEnded& trial, const v1::Result& head, const Style& style) {
  std::string text =
      absl::StrCat("  trial ", trial.repetition(), ": ",
                   Colored(Words(EnumName(trial.status())), MoodOf(trial.status()), style), "\n");
  for (const std::string& reason : trial.reasons()) absl::StrAppend(&text, "    ", reason, "\n");
  return text;
}

std::string RenderLiveEvent(const v1::RunEvent& event, const v1::Result& head, const Style& style) {
  switch (event.body_case()) {
    case v1::RunEvent::kQueued:
      return RenderLiveQueued(event, style);
    case v1::RunEvent::kTrialStarted:
      return RenderLiveTrialStarted(event.trial_started(), head, style);
    case v1::RunEvent::kInterval:
      return RenderLiveInterval(event.interval(), head, style);
    case v1::RunEvent::kTrialEnded:
      return RenderLiveTrialEnded(event.trial_ended(), head, style);
    default:
      return "";
  }
}

}  // namespace tutti::report
