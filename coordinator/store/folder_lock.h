// One coordinator for each folder of state.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tutti::store {

// Holds flock(2) on FOLDER/lock; the kernel gives it up with the process, however that ended. The file stays:
// it is empty, and removing it would race with the next holder. Movable; not thread-safe.
class FolderLock {
 public:
  // FailedPrecondition where a live process holds it; else the status of the open.
  static absl::StatusOr<FolderLock> Take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}

  int fd_ = -1;
};

}  // namespace tutti::store
