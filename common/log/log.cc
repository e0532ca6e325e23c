#include "common/log/log.h"

#include <fcntl.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti {
namespace {

std::optional<spdlog::level::level_enum> ParseLevel(const std::string& text) {
  if (text == "trace") return spdlog::level::trace;
  if (text == "debug") return spdlog::level::debug;
  if (text == "info") return spdlog::level::info;
  if (text == "warn") return spdlog::level::warn;
  if (text == "error") return spdlog::level::err;
  if (text == "off") return spdlog::level::off;
  return std::nullopt;
}

spdlog::level::level_enum LevelOf(gpr_log_severity severity) {
  switch (severity) {
    case GPR_LOG_SEVERITY_DEBUG:
      return spdlog::level::debug;
    case GPR_LOG_SEVERITY_INFO:
      return spdlog::level::info;
    case GPR_LOG_SEVERITY_ERROR:
      // What gRPC calls an error is a lost connection or a refused address: whoever called it reports the
      // outcome.
      return spdlog::level::warn;
  }
  return spdlog::level::warn;
}

void LogGrpcLine(gpr_log_func_args* args) {
  const char* slash = std::strrchr(args->file, '/');
  spdlog::log(LevelOf(args->severity), "grpc {}:{}: {}", slash != nullptr ? slash + 1 : args->file,
              args->line, args->message);
}

// spdlog makes the folders that are missing: a mistyped path would become a log that nobody looks for. So the
// file is opened here first, as spdlog does it after that.
absl::Status TryFile(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (fd >= 0) {
    close(fd);
    return absl::OkStatus();
  }
  const int reason = errno;
  const char* text = strerrordesc_np(reason);
  const char* name = strerrorname_np(reason);
  return absl::Status(absl::ErrnoToStatusCode(reason),
                      "open log file \"" + path + "\": " + (text != nullptr ? text : "unknown error") + " (" +
                          (name != nullptr ? name : std::to_string(reason)) +
                          "); name a file that can be written, in a folder that exists");
}

}  // namespace

absl::Status InitLog(const LogOptions& options) {
  const std::optional<spdlog::level::level_enum> level = ParseLevel(options.level);
  if (!level.has_value()) {
    return absl::InvalidArgumentError("log level \"" + options.level +
                                      "\" is unknown; write trace, debug, info, warn, error or off");
  }
  if (!options.file.empty()) {
    if (absl::Status status = TryFile(options.file); !status.ok()) return status;
  }
  try {
    spdlog::sink_ptr sink;
    if (options.file.empty()) {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(options.file);
    }
    auto logger = std::make_shared<spdlog::logger>(options.program, std::move(sink));
    const bool in_journal = options.file.empty() && std::getenv("JOURNAL_STREAM") != nullptr;
    logger->set_pattern(in_journal ? "%n: %l: %v" : "%Y-%m-%dT%H:%M:%S.%e%z %n[%P] %l: %v");
    logger->set_level(*level);
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
  } catch (const spdlog::spdlog_ex& error) {
    return absl::UnavailableError("open log file \"" + options.file + "\": " + error.what());
  }
  gpr_set_log_function(&LogGrpcLine);
  gpr_set_log_verbosity(*level <= spdlog::level::debug ? GPR_LOG_SEVERITY_INFO : GPR_LOG_SEVERITY_ERROR);
  return absl::OkStatus();
}

}  // namespace tutti
