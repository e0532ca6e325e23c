// All that matters of one worker, as text. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>

#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// A line for each thing: state with reason and since when, run, drain, session, labels, clock, kernel, CPUs,
// NUMA nodes, network devices. What is not known has no line; all facts of a host are `--facts`.
std::string RenderWorker(const tutti::v1::WorkerInfo& worker);

}  // namespace tutti::cli
