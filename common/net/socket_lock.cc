#include "common/net/socket_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::net {
namespace {

// A holder removes its file before it unlocks, so a lock may be won on a file that has no name any more.
bool IsStillNamed(int fd, const std::string& path) {
  struct stat held {};
  struct stat named {};
  return fstat(fd, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

std::string HolderPid(int fd) {
  char text[32] = {};
  const ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
  if (size <= 0) return "unknown";
  return std::string(text, static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<SocketLock> SocketLock::Take(const std::string& socket_path) {
  const std::string lock_path = socket_path + ".lock";
  while (true) {
    const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return ErrnoStatus(errno, "open lock file " + lock_path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string holder = HolderPid(fd);
      close(fd);
      if (error != EWOULDBLOCK) return ErrnoStatus(error, "lock " + lock_path);
      return absl::AlreadyExistsError(absl::StrCat("listen on unix:", socket_path, ": in use by process ",
                                                   holder, "; stop it, or choose another path"));
    }
    if (!IsStillNamed(fd, lock_path)) {
      close(fd);
      continue;
    }
    const std::string pid = std::to_string(getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
      const int error = errno;
      close(fd);
      return ErrnoStatus(error, "write lock file " + lock_path);
    }
    return SocketLock(fd, lock_path);
  }
}

SocketLock::SocketLock(SocketLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), lock_path_(std::move(other.lock_path_)) {}

SocketLock& SocketLock::operator=(SocketLock&& other) noexcept {
  if (this != &other) {
    GiveUp();
    fd_ = std::exchange(other.fd_, -1);
    lock_path_ = std::move(other.lock_path_);
  }
  return *this;
}

SocketLock::~SocketLock() { GiveUp(); }

void SocketLock::GiveUp() {
  if (fd_ < 0) return;
  unlink(lock_path_.c_str());
  close(fd_);
  fd_ = -1;
}

}  // namespace tutti::net
