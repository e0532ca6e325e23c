// A run in one line of a list. Pure; thread-safe.
#pragma once

#include "coordinator/run/run_journal.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/store.pb.h"

namespace tutti::run {

// `ended`: its end has been told; before that it is RUNNING, whatever `result` says. What it takes in a store
// is not known here.
tutti::v1::RunSummary SummarizeRun(const tutti::v1::Result& result, const RunLabels& labels, bool ended);

}  // namespace tutti::run
