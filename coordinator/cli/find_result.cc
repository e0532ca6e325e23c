#include "coordinator/cli/find_result.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "coordinator/cli/complaint.h"
#include "coordinator/cli/result_files.h"

namespace tutti::cli {
namespace {

bool HasEnded(const tutti::v1::Result& result) { return result.status() != tutti::v1::RUN_STATUS_RUNNING; }

int ComplainOfNoEnd(const std::string& run_id) {
  return Complain(absl::UnavailableError(absl::StrCat("run ", run_id,
                                                      " has not ended: this is what there is of it so far; "
                                                      "`tutti attach ",
                                                      run_id, "` follows it to its end")),
                  kPartial);
}

}  // namespace

absl::StatusOr<tutti::v1::Result> FindResult(const std::string& file_or_id,
                                             const CoordinatorAddress* coordinator, bool without_intervals) {
  absl::StatusOr<tutti::v1::Result> here = ReadResult(file_or_id);
  if (coordinator == nullptr || !absl::IsNotFound(here.status())) return here;
  const absl::StatusOr<std::unique_ptr<CoordinatorClient>> client = MakeCoordinatorClient(*coordinator);
  if (!client.ok()) return client.status();
  tutti::v1::GetResultRequest request;
  request.set_run_id(file_or_id);
  request.set_without_intervals(without_intervals);
  absl::StatusOr<tutti::v1::Result> there = (*client)->GetResult(request);
  if (!absl::IsNotFound(there.status())) return there;
  return absl::NotFoundError(absl::StrCat(here.status().message(), "; ", there.status().message(),
                                          "; `tutti results ls` lists what it keeps"));
}

absl::Status CheckHasPlan(const tutti::v1::Result& result) {
  if (!result.plan().source().empty()) return absl::OkStatus();
  const std::string why = result.reasons().empty() ? "" : absl::StrCat(" (", result.reasons(0), ")");
  return absl::DataLossError(absl::StrCat("the result of ", result.run_id(), " holds no plan", why,
                                          "; `tutti results show ", result.run_id(),
                                          "` shows what is left of it"));
}

ExitCode ExitCodeOfResult(const absl::Status& status) {
  if (absl::IsDataLoss(status)) return kPartial;
  const ExitCode code = ExitCodeOfCall(status);
  return code == kInvalidPlan ? kUsage : code;
}

int ExitCodeOfShown(const tutti::v1::Result& result) {
  return HasEnded(result) ? result.exit_code() : ComplainOfNoEnd(result.run_id());
}

int ExitCodeOfExported(const tutti::v1::Result& result) {
  return HasEnded(result) ? kPassed : ComplainOfNoEnd(result.run_id());
}

}  // namespace tutti::cli
