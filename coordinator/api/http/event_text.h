// Events as server-sent events: "id: 7", "event: interval", "data: {...}", an empty line. Pure; thread-safe.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "tutti/v1/service.pb.h"

namespace tutti::http {

// The data is the line that RenderEventLine makes. Empty for an event of a newer schema.
std::string RunEventText(const tutti::v1::RunEvent& event);
// "event: worker", or "event: resync", with the message as JSON.
std::string FleetEventText(const tutti::v1::FleetEvent& event);
// "event: refused", with the error's envelope: for what turns out too late for a status of its own.
std::string RefusalText(const absl::Status& status);

// A comment, which keeps a connection from looking dead.
inline constexpr char kHeartbeat[] = ":\n\n";

}  // namespace tutti::http
