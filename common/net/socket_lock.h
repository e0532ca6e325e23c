// The lock of a Unix socket's path, held by the daemon that listens there.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tutti::net {

// Holds flock(2) on PATH.lock. The kernel gives it up with the process, however that ended. The destructor
// removes the lock's file. Movable; not thread-safe.
class SocketLock {
 public:
  // AlreadyExists where a live process holds it: the message names its pid.
  static absl::StatusOr<SocketLock> Take(const std::string& socket_path);

  SocketLock(SocketLock&& other) noexcept;
  SocketLock& operator=(SocketLock&& other) noexcept;
  ~SocketLock();

 private:
  SocketLock(int fd, std::string lock_path) : fd_(fd), lock_path_(std::move(lock_path)) {}
  void GiveUp();

  int fd_ = -1;
  std::string lock_path_;
};

}  // namespace tutti::net
