// Sets up the process's one log: spdlog's default logger, with gRPC's own lines in it.
//
// Include this and write spdlog::info("worker {} registered", name). Lines go to standard error (without a
// time stamp where systemd's journal reads it, which has its own) or to a file. Logging is thread-safe; never
// log per message.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

#include "absl/status/status.h"

namespace tutti {

struct LogOptions {
  std::string program;         // shown in each line
  std::string level = "info";  // trace, debug, info, warn, error, off
  std::string file;            // appended to, in a folder that is there; empty: standard error
};

// Call it once, at the start of main; a second call replaces the first. InvalidArgument for an unknown level,
// the status of the open for a file that cannot be written.
absl::Status InitLog(const LogOptions& options);

}  // namespace tutti
