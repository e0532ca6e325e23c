#include "coordinator/api/http/event_text.h"

#include <cstdint>
#include <string_view>

#include "coordinator/api/http/error_envelope.h"
#include "coordinator/report/report.h"

namespace tutti::http {
namespace {

// `data` is one line.
std::string EventText(uint64_t sequence, std::string_view kind, std::string_view data) {
  std::string text;
  // Without a number there is nothing to resume from, and a client keeps the one before.
  if (sequence != 0) text += "id: " + std::to_string(sequence) + "\n";
  text += "event: ";
  text += kind;
  text += "\ndata: ";
  text += data;
  text += "\n\n";
  return text;
}

}  // namespace

std::string RunEventText(const tutti::v1::RunEvent& event) {
  const std::string line = report::RenderEventLine(event);
  if (line.empty()) return "";
  // The fields of the body have the names of the events.
  const std::string& kind = event.GetDescriptor()->FindFieldByNumber(event.body_case())->name();
  return EventText(event.sequence(), kind, std::string_view(line).substr(0, line.size() - 1));
}

std::string FleetEventText(const tutti::v1::FleetEvent& event) {
  return EventText(event.sequence(), event.resync() ? "resync" : "worker",
                   report::RenderMessageJson(event, {.indent = false}));
}

std::string RefusalText(const absl::Status& status) { return EventText(0, "refused", ErrorLine(status)); }

}  // namespace tutti::http
