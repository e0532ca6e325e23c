#include "coordinator/cli/run_overview.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "tutti/v1/store.pb.h"

namespace tutti::cli {
namespace {

constexpr uint32_t kMostGoingOn = 100;
constexpr uint32_t kLastEnded = 5;

absl::StatusOr<tutti::v1::ListRunsResponse> List(CoordinatorClient& client,
                                                 const tutti::v1::ListRunsRequest& request) {
  absl::StatusOr<tutti::v1::ListRunsResponse> runs = client.ListRuns(request);
  if (!absl::IsFailedPrecondition(runs.status())) return runs;
  return absl::FailedPreconditionError(
      absl::StrCat(runs.status().message(), "; tutti status RUN tells of one run all the same"));
}

}  // namespace

absl::StatusOr<std::vector<tutti::v1::RunInfo>> RunsThatMatter(CoordinatorClient& client) {
  tutti::v1::ListRunsRequest request;
  request.set_status(tutti::v1::RUN_STATUS_RUNNING);  // it waits or runs
  request.set_page_runs(kMostGoingOn);
  TUTTI_ASSIGN_OR_RETURN(tutti::v1::ListRunsResponse runs, List(client, request));
  std::reverse(runs.mutable_runs()->pointer_begin(), runs.mutable_runs()->pointer_end());
  if (runs.runs().empty()) {
    request.clear_status();
    request.set_page_runs(kLastEnded);
    TUTTI_ASSIGN_OR_RETURN(runs, List(client, request));
  }
  std::vector<tutti::v1::RunInfo> infos;
  for (const tutti::v1::RunSummary& run : runs.runs()) {
    absl::StatusOr<tutti::v1::RunInfo> info = client.GetRun(run.run_id());
    if (absl::IsNotFound(info.status())) continue;  // somebody has just removed it
    if (!info.ok()) return info.status();
    infos.push_back(*std::move(info));
  }
  return infos;
}

}  // namespace tutti::cli
