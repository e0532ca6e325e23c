#include "common/status/errno_status.h"

#include <errno.h>
#include <string.h>

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tutti {
namespace {

constexpr char kErrnoPayload[] = "tutti/errno";

// absl::string_view is a type of its own in Debian's build.
absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

absl::StatusCode CodeOf(int errno_value) {
  switch (errno_value) {
    case EACCES:
    case EPERM:
      return absl::StatusCode::kPermissionDenied;
    case EADDRINUSE:
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return absl::StatusCode::kResourceExhausted;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return absl::StatusCode::kUnavailable;
    case ETIMEDOUT:
      return absl::StatusCode::kDeadlineExceeded;
    case EINVAL:
      return absl::StatusCode::kInvalidArgument;
    case ENOENT:
    case ENODEV:
      return absl::StatusCode::kNotFound;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status ErrnoStatus(int errno_value, std::string_view what_was_tried, std::string_view advice) {
  const char* name = strerrorname_np(errno_value);
  std::string message =
      absl::StrCat(View(what_was_tried), ": ",
                   strerrordesc_np(errno_value) ? strerrordesc_np(errno_value) : "unknown error", " (",
                   name ? name : absl::StrCat("errno ", errno_value).c_str(), ")");
  if (!advice.empty()) absl::StrAppend(&message, "; ", View(advice));
  absl::Status status(CodeOf(errno_value), message);
  status.SetPayload(kErrnoPayload, absl::Cord(absl::StrCat(errno_value)));
  return status;
}

int ErrnoOf(const absl::Status& status) {
  int value = 0;
  if (const auto payload = status.GetPayload(kErrnoPayload)) {
    if (!absl::SimpleAtoi(std::string(*payload), &value)) return 0;
  }
  return value;
}

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(status.code(), absl::StrCat(View(context), ": ", status.message()));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { annotated.SetPayload(url, payload); });
  return annotated;
}

}  // namespace tutti
