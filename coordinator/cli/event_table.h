// The kept events of a run, as a table and as a document. Pure but for the time zone of the process;
// thread-safe.
#pragma once

#include <string>

#include "coordinator/report/document.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: when, what happened, and what it was about: "case 1/8", "case 1, trial 2/3: 4 streams". What
// a run waited for, and why a trial is not good, stands below.
std::string RenderEvents(const tutti::v1::ListEventsResponse& events);

// {"run_id": ..., "events": [{"event": "trial_ended", "at_unix_ns": N, ...the event's own fields}]}
report::Document EventsDocument(const std::string& run_id, const tutti::v1::ListEventsResponse& events);

}  // namespace tutti::cli
