// Renderings of a result. Every output is made from tutti.v1.Result alone; an unset figure is shown as "-"
// (text) or null (JSON), never as 0.
//
// Pure: no file, terminal or clock is touched. Thread-safe. Texts are UTF-8 and end with a newline if not
// empty.
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::report {

struct Style {
  bool color = false;  // ANSI colours; only for a terminal that was asked
};

// --- while a run goes on: one line each, as iperf3's users expect
// ----------------------------------------------- `head` is RunStarted.head: plan, hosts, pairs and expected
// duration, no cases yet.

// "run-7 waits for: host a: runs run-6 of alice since 13:50:02"; one line for each thing that is waited for.
std::string RenderLiveQueued(const tutti::v1::RunEvent& event, const Style& style);
// "case 3/8  streams=4 socket_buffer=1MiB  trial 1/3  4 streams", then the columns' names.
std::string RenderLiveTrialStarted(const tutti::v1::TrialStarted& trial, const tutti::v1::Result& head,
                                   const Style& style);
// "  1.10-1.20  4.20 Gbps  3.78 Gbps  bulk", seconds since T0: one line per entry and direction. No loss: it
// cannot be known before DRAIN has ended.
std::string RenderLiveInterval(const tutti::v1::LiveInterval& interval, const tutti::v1::Result& head,
                               const Style& style);
// "trial 1/3: good", with its reasons below.
std::string RenderLiveTrialEnded(const tutti::v1::TrialEnded& trial, const tutti::v1::Result& head,
                                 const Style& style);
// One event of a watched run by the four above; empty for events that have no line.
std::string RenderLiveEvent(const tutti::v1::RunEvent& event, const tutti::v1::Result& head,
                            const Style& style);

// --- a result, finished or not
// ----------------------------------------------------------------------------------

// Run, plan, pairs with addresses, devices and speeds, kernels, CPUs, `lab` or `insecure`, expected duration.
std::string RenderHead(const tutti::v1::Result& result, const Style& style);
// One line per case x entry x direction and one per threshold; then status, exit code and the first reasons.
std::string RenderTable(const tutti::v1::Result& result, const Style& style);
// Entries with their skews and bounds, machines with a strip of their CPUs, hosts, streams: asked and got,
// rtt, cwnd, path MTU, drops, warnings.
std::string RenderDetail(const tutti::v1::Result& result, const Style& style);
// The intervals of all hosts on one time axis.
std::string RenderTimeline(const tutti::v1::Result& result, const Style& style);
// "** default: 4 streams: Send at 4197.4 Mb/s, Receive at 3776.3 Mb/s", one line per row of the table; what
// has no such figures has a line that says why.
std::string RenderStreamTest(const tutti::v1::Result& result);
// netperf's columns; a figure that does not exist leaves its column empty.
std::string RenderNetperf(const tutti::v1::Result& result);

// The whole result as one JSON document. 64-bit integers are numbers, unset `optional` scalars and unset
// messages are null, enums are their short lower-case names ("over_limit"), doubles survive a round trip; see
// docs/decisions/0003-json-numbers.md.
std::string RenderJson(const tutti::v1::Result& result);
// The inverse of RenderJson. InvalidArgument: not JSON, not a tutti result, or of a newer schema.
absl::StatusOr<tutti::v1::Result> ParseJson(std::string_view json);

struct JsonStyle {
  bool indent = true;  // false: one line, for JSON Lines; no newline at the end
};
// The same mapping for any message.
std::string RenderMessageJson(const google::protobuf::Message& message, const JsonStyle& style = {});
// Unknown keys, wrong types and numbers out of range are InvalidArgument naming the key's path.
absl::Status ParseMessageJson(std::string_view json, google::protobuf::Message& message);

// What a line of the CSV stands for: of a case or a trial one entry in one direction, of a trial one host or
// one stream, of an interval one host.
enum class CsvRows { kCase, kTrial, kHost, kStream, kInterval };
// A header and the lines, quoted as csv_line.h says. What is not known is an empty cell. docs/outputs.md
// defines the columns.
std::string RenderCsv(const tutti::v1::Result& result, CsvRows rows);

// One suite, the plan; a test for each threshold of a case, or for the case itself if it has none. A failure
// is a threshold or limit that was not kept, an error what could not be measured properly, skipped what was
// not run. A run that has not passed has a failure or an error.
std::string RenderJunit(const tutti::v1::Result& result);

// --- the events of a run as JSON Lines
// ------------------------------------------------------------------------

// The object of one event, with a newline; docs/outputs.md defines the keys. Empty for an event of a newer
// schema.
std::string RenderEventLine(const tutti::v1::RunEvent& event);
// The same for what precedes all events: the coordinator has taken the run.
std::string RenderAcceptedLine(const std::string& run_id);

// --- the formats of --format
// ------------------------------------------------------------------------------------

struct Exporter {
  const char* name;     // "table"
  const char* caption;  // for --help
  std::string (*render)(const tutti::v1::Result& result, const Style& style);
  bool document = false;  // read by programs: nothing may stand beside it, and it does its own quoting
  bool without_intervals = false;  // the same text comes of a result whose intervals were left out
};
const std::vector<Exporter>& Exporters();
// "csv" is short for "csv:case". InvalidArgument names the formats that exist.
absl::StatusOr<const Exporter*> FindExporter(std::string_view name);

}  // namespace tutti::report
