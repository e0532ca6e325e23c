// What went wrong, on standard error.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "coordinator/cli/exit_codes.h"

namespace tutti::cli {

// The message, as a terminal may have it: control characters in what it quotes are written out, line breaks
// stay.
std::string Readable(const absl::Status& status);

// Prints "tutti: MESSAGE" and returns `code`.
int Complain(const absl::Status& status, ExitCode code);

}  // namespace tutti::cli
