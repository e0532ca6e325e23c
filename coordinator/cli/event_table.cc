#include "coordinator/cli/event_table.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/aligned_columns.h"
#include "coordinator/cli/instant.h"
#include "coordinator/report/enum_name.h"

namespace tutti::cli {
namespace {

using report::Document;
using tutti::v1::RunEvent;

using Texts = google::protobuf::RepeatedPtrField<std::string>;

// "trial_ended": the name of the member of the oneof.
std::string NameOf(const RunEvent& event) {
  const google::protobuf::FieldDescriptor* field =
      RunEvent::descriptor()->FindFieldByNumber(static_cast<int>(event.body_case()));
  return field == nullptr ? "?" : field->name();
}

std::string CaseText(uint32_t case_index) { return absl::StrCat("case ", case_index + 1); }

std::string About(const RunEvent& event) {
  switch (event.body_case()) {
    case RunEvent::kQueued:
      return absl::StrCat("position ", event.queued().position());
    case RunEvent::kCaseStarted:
      return absl::StrCat(CaseText(event.case_started().case_index()), "/", event.case_started().cases());
    case RunEvent::kTrialStarted: {
      const tutti::v1::TrialStarted& trial = event.trial_started();
      return absl::StrCat(CaseText(trial.case_index()), ", trial ", trial.repetition(), "/",
                          trial.repetitions(), ": ", trial.streams(),
                          trial.streams() == 1 ? " stream" : " streams");
    }
    case RunEvent::kTrialEnded:
      return absl::StrCat(CaseText(event.trial_ended().case_index()), ", trial ",
                          event.trial_ended().repetition(), ": ",
                          report::EnumName(event.trial_ended().status()));
    case RunEvent::kCaseEnded:
      return absl::StrCat(CaseText(event.case_ended().index()), ": ",
                          report::EnumName(event.case_ended().status()));
    case RunEvent::kEnded:
      return absl::StrCat(report::EnumName(event.ended().status()), ", exit code ",
                          event.ended().exit_code());
    default:
      return "";
  }
}

// What the event says besides, a line each.
Texts Further(const RunEvent& event) {
  if (event.has_queued()) return event.queued().waits_for();
  if (event.has_trial_ended()) return event.trial_ended().reasons();
  // Those of a case repeat its trials', those of the run its cases'.
  return Texts();
}

Document TextList(const Texts& texts) {
  return Document::Texts(std::vector<std::string>(texts.begin(), texts.end()));
}

Document EventDocument(const RunEvent& event) {
  Document document = Document::Map();
  document.Add("event", Document::Text(NameOf(event)));
  document.Add("at_unix_ns", Document::Number(event.at_unix_ns()));
  switch (event.body_case()) {
    case RunEvent::kQueued:
      document.Add("position", Document::Number(event.queued().position()));
      document.Add("waits_for", TextList(event.queued().waits_for()));
      break;
    case RunEvent::kCaseStarted:
      document.Add("case_index", Document::Number(event.case_started().case_index()));
      document.Add("cases", Document::Number(event.case_started().cases()));
      break;
    case RunEvent::kTrialStarted:
      document.Add("case_index", Document::Number(event.trial_started().case_index()));
      document.Add("repetition", Document::Number(event.trial_started().repetition()));
      document.Add("repetitions", Document::Number(event.trial_started().repetitions()));
      document.Add("streams", Document::Number(event.trial_started().streams()));
      break;
    case RunEvent::kTrialEnded:
      document.Add("case_index", Document::Number(event.trial_ended().case_index()));
      document.Add("repetition", Document::Number(event.trial_ended().repetition()));
      document.Add("status", Document::Text(report::EnumName(event.trial_ended().status())));
      document.Add("reasons", TextList(event.trial_ended().reasons()));
      break;
    case RunEvent::kCaseEnded:
      document.Add("case_index", Document::Number(event.case_ended().index()));
      document.Add("status", Document::Text(report::EnumName(event.case_ended().status())));
      document.Add("reasons", TextList(event.case_ended().reasons()));
      break;
    case RunEvent::kEnded:
      document.Add("status", Document::Text(report::EnumName(event.ended().status())));
      document.Add("exit_code", Document::Number(event.ended().exit_code()));
      document.Add("reasons", TextList(event.ended().reasons()));
      break;
    default:
      break;
  }
  return document;
}

}  // namespace

std::string RenderEvents(const tutti::v1::ListEventsResponse& events) {
  if (events.events().empty()) return "no events\n";
  std::vector<std::vector<std::string>> lines = {{"WHEN", "EVENT", "ABOUT"}};
  for (const RunEvent& event : events.events()) {
    lines.push_back({FormatInstantMs(event.at_unix_ns()), NameOf(event), About(event)});
    for (const std::string& text : Further(event)) lines.push_back({"", "", absl::StrCat("  ", text)});
  }
  return AlignColumns(lines);
}

Document EventsDocument(const std::string& run_id, const tutti::v1::ListEventsResponse& events) {
  Document list = Document::List();
  for (const RunEvent& event : events.events()) list.Add(EventDocument(event));
  Document document = Document::Map();
  document.Add("run_id", Document::Text(run_id));
  document.Add("events", std::move(list));
  return document;
}

}  // namespace tutti::cli
