// The events of a run as JSON Lines: flat, so that `jq 'select(.event == "interval") | .entries'` is all it
// takes, and small: the facts of the hosts and the trials with their streams are the result's.
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/json_text.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

using google::protobuf::Message;
using google::protobuf::RepeatedPtrField;

// One object; keys appear in the order in which they are added.
class Line {
 public:
  Line() : text_("{") {}
  // What every event begins with.
  Line(std::string_view event, const v1::RunEvent& of) : Line() {
    Text("event", event);
    Text("run_id", of.run_id());
    Number("at_unix_ns", of.at_unix_ns());
  }

  void Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(value, text_);
  }
  void Number(std::string_view key, int64_t value) { Raw(key, absl::StrCat(value)); }
  void Bool(std::string_view key, bool value) { Raw(key, value ? "true" : "false"); }
  void Null(std::string_view key) { Raw(key, "null"); }
  void Raw(std::string_view key, std::string_view json) {
    Key(key);
    text_ += json;
  }
  void Texts(std::string_view key, const RepeatedPtrField<std::string>& values) {
    std::string list;
    for (const std::string& value : values) {
      if (!list.empty()) list += ',';
      AppendJsonString(value, list);
    }
    List(key, list);
  }
  template <typename M>
  void Messages(std::string_view key, const RepeatedPtrField<M>& values) {
    std::string list;
    for (const M& value : values) {
      if (!list.empty()) list += ',';
      list += RenderMessageJson(value, JsonStyle{.indent = false});
    }
    List(key, list);
  }
  void List(std::string_view key, std::string_view elements) {
    Key(key);
    text_ += '[';
    text_ += elements;
    text_ += ']';
  }
  // Every field of a message, as if they were the line's own.
  void Fields(const Message& message) {
    const std::string object = RenderMessageJson(message, JsonStyle{.indent = false});
    const std::string_view fields = std::string_view(object).substr(1, object.size() - 2);
    if (fields.empty()) return;
    Separate();
    text_ += fields;
  }

  std::string Object() const { return text_ + '}'; }
  std::string End() const { return text_ + "}\n"; }

 private:
  void Separate() {
    if (text_.size() > 1) text_ += ',';
  }
  void Key(std::string_view key) {
    Separate();
    AppendJsonString(key, text_);
    text_ += ':';
  }

  std::string text_;
};

std::string Cases(const v1::Plan& plan) {
  std::string list;
  for (const v1::Case& each : plan.cases()) {
    Line one;
    one.Number("case_index", each.index());
    one.Messages("values", each.values());
    absl::StrAppend(&list, list.empty() ? "" : ",", one.Object());
  }
  return list;
}

std::string Started(const v1::RunEvent& event) {
  const v1::Result& head = event.started().head();
  Line line("started", event);
  line.Text("plan", head.plan().name());
  line.Text("plan_file", head.plan().source_name());
  line.Text("user", head.user());
  line.Text("tutti_version", head.tutti_version());
  line.Bool("lab", head.lab());
  line.Bool("insecure", head.insecure());
  line.Number("expected_duration_ns", head.expected_duration_ns());
  RepeatedPtrField<std::string> hosts;
  for (const v1::Host& host : head.hosts()) *hosts.Add() = host.name();
  line.Texts("hosts", hosts);
  line.List("cases", Cases(head.plan()));
  return line.End();
}

std::string CaseEnded(const v1::RunEvent& event) {
  const v1::CaseResult& ended = event.case_ended();
  Line line("case_ended", event);
  line.Number("case_index", ended.index());
  line.Messages("values", ended.values());
  line.Text("status", EnumName(ended.status()));
  line.Texts("reasons", ended.reasons());
  line.Number("good_trials", ended.good_trials());
  line.Number("wanted_trials", ended.wanted_trials());
  line.Messages("rows", ended.rows());
  line.Messages("thresholds", ended.thresholds());
  return line.End();
}

std::string Ended(const v1::RunEvent& event) {
  const v1::Result& result = event.ended();
  Line line("ended", event);
  line.Text("status", EnumName(result.status()));
  line.Number("exit_code", result.exit_code());
  line.Texts("reasons", result.reasons());
  if (result.started_unix_ns() == 0) {
    line.Null("started_unix_ns");  // it never left the queue
  } else {
    line.Number("started_unix_ns", result.started_unix_ns());
  }
  line.Number("finished_unix_ns", result.finished_unix_ns());
  return line.End();
}

std::string WithFields(std::string_view name, const v1::RunEvent& event, const Message& body) {
  Line line(name, event);
  line.Fields(body);
  return line.End();
}

}  // namespace

std::string RenderAcceptedLine(const std::string& run_id) {
  Line line;
  line.Text("event", "accepted");
  line.Text("run_id", run_id);
  line.Null("at_unix_ns");
  return line.End();
}

std::string RenderEventLine(const v1::RunEvent& event) {
  switch (event.body_case()) {
    case v1::RunEvent::kQueued:
      return WithFields("queued", event, event.queued());
    case v1::RunEvent::kStarted:
      return Started(event);
    case v1::RunEvent::kCaseStarted:
      return WithFields("case_started", event, event.case_started());
    case v1::RunEvent::kTrialStarted:
      return WithFields("trial_started", event, event.trial_started());
    case v1::RunEvent::kPhase:
      return WithFields("phase", event, event.phase());
    case v1::RunEvent::kInterval:
      return WithFields("interval", event, event.interval());
    case v1::RunEvent::kTrialEnded:
      return WithFields("trial_ended", event, event.trial_ended());
    case v1::RunEvent::kCaseEnded:
      return CaseEnded(event);
    case v1::RunEvent::kEnded:
      return Ended(event);
    case v1::RunEvent::BODY_NOT_SET:
      break;
  }
  return "";
}

}  // namespace tutti::report
