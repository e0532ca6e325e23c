#include "coordinator/store/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

#include "common/status/errno_status.h"

namespace tutti::store {

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) return ErrnoStatus(errno, "open " + path);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return FolderLock(fd);
  const int error = errno;
  close(fd);
  if (error != EWOULDBLOCK) return ErrnoStatus(error, "lock " + path);
  return absl::FailedPreconditionError(
      "lock " + path +
      ": another coordinator keeps its runs there; stop it, or give this one a "
      "folder of its own with --state-dir");
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace tutti::store
