#include "coordinator/lab/runtime_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/lab/process_identity.h"

namespace tutti::lab {
namespace {

// sun_path has 108 bytes: "/proc/4194304/root" + folder + "/4194304/coordinator.sock.lock" must fit.
constexpr size_t kMaxFolderBytes = 56;

std::vector<std::string> Candidates() {
  std::vector<std::string> candidates;
  const char* xdg = getenv("XDG_RUNTIME_DIR");
  if (xdg != nullptr && xdg[0] == '/') candidates.push_back(absl::StrCat(xdg, "/tutti"));
  candidates.push_back(absl::StrCat("/run/user/", getuid(), "/tutti"));
  candidates.push_back(absl::StrCat("/tmp/tutti-", getuid()));
  return candidates;
}

absl::Status CheckOwner(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return ErrnoStatus(errno, absl::StrCat("look at ", path));
  if (!S_ISDIR(info.st_mode) || info.st_uid != getuid() || (info.st_mode & 022) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, " is not a folder that only user ", getuid(),
                                                    " may write to; remove it, or set XDG_RUNTIME_DIR"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> RuntimeFolder() {
  absl::Status last = absl::OkStatus();
  for (const std::string& path : Candidates()) {
    if (path.size() > kMaxFolderBytes) continue;
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      last = ErrnoStatus(errno, absl::StrCat("make ", path));
      continue;
    }
    TUTTI_RETURN_IF_ERROR(CheckOwner(path));
    return path;
  }
  return last;
}

absl::StatusOr<std::string> MakeLabFolder(const std::string& name) {
  // Another lab that ends may remove the empty runtime folder between the two steps.
  constexpr int kAttempts = 10;
  int error = 0;
  std::string path;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    TUTTI_ASSIGN_OR_RETURN(const std::string folder, RuntimeFolder());
    path = absl::StrCat(folder, "/", name);
    if (mkdir(path.c_str(), 0700) == 0) return path;
    error = errno;
    if (error == EEXIST) RemoveLabFolder(path);
  }
  return ErrnoStatus(error, absl::StrCat("make ", path));
}

void RemoveLabFolder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
  rmdir(std::filesystem::path(path).parent_path().c_str());
}

void RemoveRecord(const std::string& path) {
  unlink(path.c_str());
  rmdir(std::filesystem::path(path).parent_path().c_str());
}

void RemoveStaleLabFolders() {
  const absl::StatusOr<std::string> folder = RuntimeFolder();
  if (!folder.ok()) return;
  std::error_code error;
  std::vector<std::string> stale;
  for (const auto& entry : std::filesystem::directory_iterator(*folder, error)) {
    const std::string name = entry.path().filename().string();
    int pid = 0;
    const auto [end, parse_error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parse_error != std::errc() || end != name.data() + name.size()) continue;
    if (!IsAlive(pid)) stale.push_back(entry.path().string());
  }
  for (const std::string& path : stale) RemoveLabFolder(path);
  rmdir(folder->c_str());
}

}  // namespace tutti::lab
