#include "coordinator/lab/lab_limits.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "coordinator/lab/namespaces.h"

namespace tutti::lab {
namespace {

absl::StatusOr<int64_t> ReadSysctl(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (!(file >> value)) return absl::NotFoundError(absl::StrCat("read ", path, ": no number there"));
  return value;
}

std::string Size(int64_t bytes) {
  constexpr int64_t kMib = int64_t{1024} * 1024;
  if (bytes % kMib == 0) return absl::StrCat(bytes / kMib, " MiB");
  if (bytes % 1024 == 0) return absl::StrCat(bytes / 1024, " KiB");
  return absl::StrCat(bytes, " B");
}

}  // namespace

absl::StatusOr<BufferLimits> ReadBufferLimits() {
  BufferLimits limits;
  TUTTI_ASSIGN_OR_RETURN(limits.rmem_max_bytes, ReadSysctl("/proc/sys/net/core/rmem_max"));
  TUTTI_ASSIGN_OR_RETURN(limits.wmem_max_bytes, ReadSysctl("/proc/sys/net/core/wmem_max"));
  if (!MayMakeNamespacesDirectly()) {
    // Not assigned from a literal: GCC 12 warns of an overflow that is none (GCC bug 105329).
    limits.why_not_force =
        std::string("the workers of a lab without root lack CAP_NET_ADMIN in the initial user namespace");
    return limits;
  }
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(errno, "open a socket to see what buffers it may have");
  const int bytes = 4096;
  limits.may_force = setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) == 0;
  const int error = errno;
  close(fd);
  if (!limits.may_force) {
    limits.why_not_force = std::string(ErrnoStatus(error, "setsockopt(SO_RCVBUFFORCE)").message());
  }
  return limits;
}

absl::Status MayUseBuffer(const BufferLimits& limits, BufferSide side, int64_t bytes) {
  const bool receive = side == BufferSide::kReceive;
  const int64_t max_bytes = receive ? limits.rmem_max_bytes : limits.wmem_max_bytes;
  constexpr int64_t kForcedMaxBytes =
      (int64_t{1} << 31) / 2 - 1;  // the kernel keeps twice the size in an int
  if (bytes <= max_bytes) return absl::OkStatus();
  if (limits.may_force && bytes <= kForcedMaxBytes) return absl::OkStatus();
  const std::string what =
      absl::StrCat(Size(bytes), receive ? " receive" : " send", " buffers are not possible here: ");
  if (bytes > kForcedMaxBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, "the kernel allows ", kForcedMaxBytes, " B at most"));
  }
  const std::string sysctl = receive ? "net.core.rmem_max" : "net.core.wmem_max";
  return absl::FailedPreconditionError(absl::StrCat(
      what, sysctl, " is ", max_bytes, ", and ", limits.why_not_force, "; sysctl -w ", sysctl, "=", bytes));
}

}  // namespace tutti::lab
