// A run whose coordinator ended before it did. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::run {

// `result`: the head and the trials that were kept, as a journal gives them back; `events`: those that were
// kept of it, perhaps none. Summarizes the cases that have trials, lists the others as not run, judges the
// run and says what happened, and which trial was cut off or that the run only waited. A head that could not
// be read has no plan: then the cases are those that have trials, and the run is partial at best. It ended at
// the last instant that is known of it, by its head, events and trials; at `now_unix_ns`, the wall clock's,
// only if none is.
void CloseInterrupted(tutti::v1::Result& result, const std::vector<tutti::v1::RunEvent>& events,
                      int64_t now_unix_ns);

}  // namespace tutti::run
