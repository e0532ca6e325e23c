// Where runs stand, as text and as a document. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "coordinator/report/document.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: id, state, since when, plan, user, and what there is to say of the state: what it waits for,
// how far it is, its exit code. What is not known is "-".
std::string RenderRunInfos(const std::vector<tutti::v1::RunInfo>& runs);

// {"runs": [RunInfo, ...]}
report::Document RunInfosDocument(const std::vector<tutti::v1::RunInfo>& runs);

// All that is known of one, a line for each thing.
std::string RenderRunInfo(const tutti::v1::RunInfo& run);

// "run-7: passed, exit code 0", its reasons below: how a run ended, for those who want no report.
std::string RenderRunEnd(const tutti::v1::Result& result);

}  // namespace tutti::cli
