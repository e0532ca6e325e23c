#include "coordinator/api/request_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "common/units/units.h"
#include "coordinator/plan/label_bounds.h"
#include "coordinator/plan/wait_bounds.h"

namespace tutti::api {
namespace {

constexpr size_t kMaxPlanBytes = size_t{1024} * 1024;
constexpr size_t kMaxOverridesBytes = size_t{64} * 1024;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kMaxIdBytes = 256;
constexpr size_t kMaxKeyBytes = 256;

absl::Status CheckSize(const char* what, size_t bytes, size_t most) {
  if (bytes <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has ", bytes, " bytes, at most ", most, " are taken"));
}

absl::Status CheckLabels(const tutti::v1::SubmitRequest& request) {
  if (request.labels().size() > plan::kMostLabels) {
    return absl::InvalidArgumentError(absl::StrCat("the run has ", request.labels().size(),
                                                   " labels, at most ", plan::kMostLabels, " are taken"));
  }
  absl::Status status;
  for (const auto& [key, value] : request.labels()) {
    if (key.empty()) status.Update(absl::InvalidArgumentError("a label of the run has no key"));
    status.Update(CheckSize("a label of the run", key.size() + value.size(), plan::kMostLabelBytes));
  }
  return status;
}

absl::Status CheckKey(const std::string& key) {
  TUTTI_RETURN_IF_ERROR(CheckSize("the idempotency key", key.size(), kMaxKeyBytes));
  const bool printable =
      std::all_of(key.begin(), key.end(), [](char each) { return each >= ' ' && each <= '~'; });
  if (printable) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the idempotency key has characters that are not printable ASCII; use letters, digits and signs");
}

absl::Status CheckWait(const tutti::v1::SubmitRequest& request) {
  if (!request.has_max_wait_ns()) return absl::OkStatus();
  using plan::kLeastWaitNs;
  using plan::kMostWaitNs;
  const int64_t wait_ns = request.max_wait_ns();
  if (wait_ns >= kLeastWaitNs && wait_ns <= kMostWaitNs) return absl::OkStatus();
  const std::string asked =
      wait_ns < 0 ? absl::StrCat(wait_ns, "ns") : absl::StrCat("at most ", FormatDuration(wait_ns));
  return absl::InvalidArgumentError(absl::StrCat("a run cannot wait ", asked, " for its hosts; give it ",
                                                 FormatDuration(kLeastWaitNs), " to ",
                                                 FormatDuration(kMostWaitNs)));
}

}  // namespace

absl::Status CheckPlanText(const std::string& plan, const std::string& source_name,
                           const google::protobuf::RepeatedPtrField<std::string>& overrides) {
  size_t overrides_bytes = 0;
  for (const std::string& each : overrides) overrides_bytes += each.size() + 1;
  TUTTI_RETURN_IF_ERROR(CheckSize("the plan", plan.size(), kMaxPlanBytes));
  TUTTI_RETURN_IF_ERROR(CheckSize("the text of the overrides", overrides_bytes, kMaxOverridesBytes));
  return CheckSize("the plan's name", source_name.size(), kMaxNameBytes);
}

absl::Status CheckSubmission(const tutti::v1::SubmitRequest& request) {
  TUTTI_RETURN_IF_ERROR(CheckPlanText(request.plan(), request.source_name(), request.overrides()));
  TUTTI_RETURN_IF_ERROR(CheckSize("the user's name", request.user().size(), kMaxNameBytes));
  TUTTI_RETURN_IF_ERROR(CheckLabels(request));
  TUTTI_RETURN_IF_ERROR(CheckKey(request.idempotency_key()));
  return CheckWait(request);
}

absl::Status CheckName(const char* what, const std::string& name) {
  if (name.size() <= kMaxIdBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("no ", what, " has a name of ", name.size(), " bytes, the longest have ", kMaxIdBytes));
}

}  // namespace tutti::api
