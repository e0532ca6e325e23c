#include "coordinator/cli/result_files.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool IsSpecialFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

std::string FollowLinks(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

absl::Status WriteAll(int fd, const std::string& path, std::string_view content) {
  size_t done = 0;
  while (done < content.size()) {
    const ssize_t written = write(fd, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return ErrnoStatus(errno, absl::StrCat("write ", path));
    done += static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

// A full disk or quota may show only here.
absl::Status Close(int fd, const std::string& path) {
  return close(fd) == 0 ? absl::OkStatus() : ErrnoStatus(errno, absl::StrCat("close ", path));
}

absl::Status WriteSpecialFile(const std::string& path, std::string_view content) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("open ", path));
  absl::Status status = WriteAll(fd, path, content);
  status.Update(Close(fd, path));
  return status;
}

// Every result of a run has these; another program's document may happen to have a schema_version.
absl::Status CheckComplete(const tutti::v1::Result& result) {
  std::string missing;
  if (result.run_id().empty()) missing = "run_id";
  if (result.status() == tutti::v1::RUN_STATUS_UNSPECIFIED)
    missing += missing.empty() ? "status" : " and no status";
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("not a result of tutti: it has no ", missing));
}

// An id never leaves the folder of results.
bool IsRunId(const std::string& text) {
  return !text.empty() && text.front() != '.' && text.find('/') == std::string::npos;
}

}  // namespace

absl::StatusOr<std::string> ResultDirectory() {
  const char* state_home = getenv("XDG_STATE_HOME");
  if (state_home != nullptr && state_home[0] == '/') return absl::StrCat(state_home, "/tutti/results");
  const char* home = getenv("HOME");
  if (home != nullptr && home[0] == '/') return absl::StrCat(home, "/.local/state/tutti/results");
  const passwd* user = getpwuid(getuid());
  if (user != nullptr && user->pw_dir != nullptr && user->pw_dir[0] == '/') {
    return absl::StrCat(user->pw_dir, "/.local/state/tutti/results");
  }
  return absl::FailedPreconditionError(
      "no folder for results: HOME is not set and the user has no home; set XDG_STATE_HOME to an absolute "
      "path");
}

absl::Status WriteWhole(const std::string& path, std::string_view content) {
  if (IsSpecialFile(path)) return WriteSpecialFile(path, content);
  const std::string target = FollowLinks(path);
  std::string temporary = absl::StrCat(target, ".XXXXXX");
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("create a file beside ", target));
  // Errors name what was asked for: the temporary file is gone when they are read.
  absl::Status status = WriteAll(fd, target, content);
  const mode_t mask = umask(0);
  umask(mask);
  if (status.ok() && fchmod(fd, 0666 & ~mask) != 0)
    status = ErrnoStatus(errno, absl::StrCat("chmod ", target));
  if (status.ok() && fsync(fd) != 0) status = ErrnoStatus(errno, absl::StrCat("sync ", target));
  status.Update(Close(fd, target));
  if (status.ok() && rename(temporary.c_str(), target.c_str()) != 0) {
    status = ErrnoStatus(errno, absl::StrCat("replace ", target));
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::Status CheckWritable(const std::string& path, std::string_view option) {
  const std::string asked = absl::StrCat(std::string(option), " ", path);
  struct stat info = {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(asked, ": is a folder; name a file"));
  }
  const bool direct = IsSpecialFile(path);
  const std::string checked = direct ? path : FolderOf(FollowLinks(path));
  if (access(checked.c_str(), W_OK) == 0) return absl::OkStatus();
  const int reason = errno;
  return absl::InvalidArgumentError(
      ErrnoStatus(reason, absl::StrCat(asked, ": write in ", checked), "name a file in a folder that exists")
          .message());
}

absl::StatusOr<std::string> LeaveResult(const tutti::v1::Result& result) {
  TUTTI_ASSIGN_OR_RETURN(const std::string folder, ResultDirectory());
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return ErrnoStatus(error.value(), absl::StrCat("make folder ", folder));
  if (!IsRunId(result.run_id())) {
    return absl::InternalError(absl::StrCat("run id \"", result.run_id(), "\" cannot be a file's name"));
  }
  const std::string path = absl::StrCat(folder, "/", result.run_id(), ".json");
  TUTTI_RETURN_IF_ERROR(WriteWhole(path, report::RenderJson(result)));
  return path;
}

absl::StatusOr<tutti::v1::Result> ReadResult(const std::string& file_or_id) {
  std::string path = file_or_id;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    TUTTI_ASSIGN_OR_RETURN(const std::string folder, ResultDirectory());
    const std::string stored = absl::StrCat(folder, "/", file_or_id, ".json");
    if (!IsRunId(file_or_id) || !fs::exists(stored, ignored)) {
      return absl::NotFoundError(absl::StrCat("result ", file_or_id,
                                              ": there is no such file and no run of this id in ", folder,
                                              "; `ls ", folder, "` shows the ids"));
    }
    path = stored;
  }
  if (fs::is_directory(path, ignored)) {
    return absl::InvalidArgumentError(absl::StrCat("result ", path, ": is a folder; name a file"));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return ErrnoStatus(errno, absl::StrCat("open result ", path));
  std::ostringstream text;
  text << file.rdbuf();
  absl::StatusOr<tutti::v1::Result> result = report::ParseJson(text.str());
  if (!result.ok()) return Annotate(result.status(), absl::StrCat("result ", path));
  TUTTI_RETURN_IF_ERROR(Annotate(CheckComplete(*result), absl::StrCat("result ", path)));
  return result;
}

}  // namespace tutti::cli
