// Statuses made of an errno, in the project's form: what was tried, with which value, why it failed, what to
// do.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace tutti {

// "bind 10.0.0.1:5201: Address already in use (EADDRINUSE)" and, if given, "; ADVICE".
// The code follows the errno: EACCES/EPERM PermissionDenied, EADDRINUSE AlreadyExists, EMFILE/ENFILE/ENOMEM
// ResourceExhausted, ECONNREFUSED/EHOSTUNREACH/ENETUNREACH Unavailable, ETIMEDOUT DeadlineExceeded,
// EINVAL InvalidArgument, otherwise Internal.
absl::Status ErrnoStatus(int errno_value, std::string_view what_was_tried, std::string_view advice = {});

// The errno that ErrnoStatus put into `status`; 0 if there is none.
int ErrnoOf(const absl::Status& status);

// Puts "CONTEXT: " before the message; ok stays ok. Payloads are kept.
absl::Status Annotate(const absl::Status& status, std::string_view context);

}  // namespace tutti
