// The limit of open files, checked before sockets are opened rather than met in the middle.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace tutti::load {

// Raises the soft limit of RLIMIT_NOFILE to the hard one where `needed` more descriptors do not fit, and the
// hard one, where that is permitted (CAP_SYS_RESOURCE), as far as they need. ResourceExhausted, saying how
// many are needed, if they do not fit then either.
absl::Status EnsureOpenFiles(uint64_t needed);

}  // namespace tutti::load
