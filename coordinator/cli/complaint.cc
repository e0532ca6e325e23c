#include "coordinator/cli/complaint.h"

#include <iostream>

#include "common/status/printable.h"

namespace tutti::cli {

std::string Readable(const absl::Status& status) { return PrintableLines(std::string(status.message())); }

int Complain(const absl::Status& status, ExitCode code) {
  std::cerr << "tutti: " << Readable(status) << "\n";
  return code;
}

}  // namespace tutti::cli
