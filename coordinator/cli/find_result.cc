#include "coordinator/cli/find_result.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/result_files.h"

namespace tutti::cli {

absl::StatusOr<tutti::v1::Result> FindResult(const std::string& file_or_id,
                                             const CoordinatorAddress* coordinator) {
  absl::StatusOr<tutti::v1::Result> here = ReadResult(file_or_id);
  if (coordinator == nullptr || !absl::IsNotFound(here.status())) return here;
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client = MakeCoordinatorClient(*coordinator);
  if (!client.ok()) return client.status();
  absl::StatusOr<tutti::v1::Result> there = (*client)->GetResult(file_or_id);
  if (!absl::IsNotFound(there.status())) return there;
  return absl::NotFoundError(absl::StrCat(here.status().message(), "; ", there.status().message(),
                                          "; `tutti results ls` lists what it keeps"));
}

ExitCode ExitCodeOfResult(const absl::Status& status) {
  const ExitCode code = ExitCodeOfCall(status);
  return code == kInvalidPlan ? kUsage : code;
}

int ExitCodeOfShown(const tutti::v1::Result& result) {
  if (result.status() != tutti::v1::RUN_STATUS_RUNNING) return result.exit_code();
  const std::string& id = result.run_id();
  return Complain(absl::UnavailableError(absl::StrCat("run ", id,
                                                      " has not ended: this is what there is of it so far; "
                                                      "`tutti attach ",
                                                      id, "` follows it to its end")),
                  kPartial);
}

}  // namespace tutti::cli
