// The line of the stream_test script of 2007: "** default: 4 streams: Send at 4197.4 Mb/s, Receive at 3776.3
// Mb/s".
#include <set>
#include <string>
#include <utility>

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

// Without a row the case's first entry. nullptr: it is not in the plan.
const v1::TrafficEntry* FindTraffic(const v1::Result& result, const v1::CaseResult& each,
                                    const v1::Row* row) {
  for (const v1::Case& plan_case : result.plan().cases()) {
    if (plan_case.index() != each.index()) continue;
    for (const v1::TrafficEntry& traffic : plan_case.traffic()) {
      if (row == nullptr || traffic.name() == row->entry()) return &traffic;
    }
  }
  return nullptr;
}

// The first axis that is a socket buffer names the line; without one, what the plan asks for.
std::string LabelOf(const v1::Result& result, const v1::CaseResult& each, const v1::Row* row) {
  for (const v1::AxisValue& value : each.values()) {
    if (value.axis().find("buffer") != std::string::npos) return value.value();
  }
  const v1::TrafficEntry* traffic = FindTraffic(result, each, row);
  if (traffic == nullptr) return "default";
  if (traffic->has_send_buffer_bytes()) return FormatSize(traffic->send_buffer_bytes());
  return traffic->has_receive_buffer_bytes() ? FormatSize(traffic->receive_buffer_bytes()) : "default";
}

// Of the axes that the script did not have: "message_size=512B: ".
std::string OtherValues(const v1::CaseResult& each) {
  std::string text;
  bool labelled = false;
  for (const v1::AxisValue& value : each.values()) {
    const bool is_label = !labelled && value.axis().find("buffer") != std::string::npos;
    labelled = labelled || is_label;
    if (!is_label && value.axis() != "streams")
      absl::StrAppend(&text, value.axis(), "=", value.value(), ": ");
  }
  return text;
}

std::string Megabits(bool present, const v1::Spread& spread) {
  if (!present || !spread.has_median()) return kNone;
  return absl::StrFormat("%.1f", spread.median() / 1e6);
}

// Instead of the rates of a row that has none.
std::string WhyNoFigures(const v1::CaseResult& each) {
  std::string text = absl::StrCat("no figures, ", each.good_trials(), " of ", each.wanted_trials(),
                                  " trials are good (", Words(EnumName(each.status())), ")");
  if (each.reasons_size() > 0) absl::StrAppend(&text, ": ", each.reasons(0));
  return text;
}

// Of a case of which no trial was run.
std::string CaseLine(const v1::Result& result, const v1::CaseResult& each) {
  const std::string values = MatrixValues(each.values());
  return absl::StrCat("** ", LabelOf(result, each, nullptr), ": case ", each.index() + 1,
                      values.empty() ? "" : absl::StrCat(" (", values, ")"), ": ", WhyNoFigures(each), "\n");
}

// "Send at 4197.4 Mb/s, Receive at 3776.3 Mb/s", or why not.
std::string Figures(const v1::CaseResult& each, const v1::Row& row) {
  // The script's line is of streams.
  if (Exchanges(row)) return "request/response has no such line: --format table and netperf have its figures";
  const std::string streams = absl::StrCat(row.streams(), " streams: ");
  if (!row.has_sent_bps() && !row.has_received_bps()) return absl::StrCat(streams, WhyNoFigures(each));
  return absl::StrCat(streams, "Send at ", Megabits(row.has_sent_bps(), row.sent_bps()), " Mb/s, Receive at ",
                      Megabits(row.has_received_bps(), row.received_bps()), " Mb/s");
}

}  // namespace

std::string RenderStreamTest(const v1::Result& result) {
  std::set<std::pair<std::string, bool>> entries;
  for (const v1::CaseResult& each : result.cases()) {
    for (const v1::Row& row : each.rows()) entries.insert({row.entry(), row.reverse()});
  }
  std::string text;
  for (const v1::CaseResult& each : result.cases()) {
    if (each.rows().empty()) text += CaseLine(result, each);
    for (const v1::Row& row : each.rows()) {
      absl::StrAppend(&text, "** ", LabelOf(result, each, &row), ": ", OtherValues(each));
      // The script knew one kind of traffic; where there are more, each line has to say which it is.
      if (entries.size() > 1) absl::StrAppend(&text, row.entry(), row.reverse() ? " (reverse)" : "", ": ");
      absl::StrAppend(&text, Figures(each, row), "\n");
    }
  }
  const int missing = result.plan().cases_size() - result.cases_size();
  if (missing > 0) {
    absl::StrAppend(&text, "** no figures of ", missing, " of ", result.plan().cases_size(),
                    " cases: they were not run\n");
  }
  return text;
}

}  // namespace tutti::report
