#include "worker/observe/socket_limits.h"

#include <errno.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/observe/file_reader.h"

namespace tutti::observe {
namespace {

constexpr int kSmallBufferBytes = 65536;

std::optional<uint64_t> ReadSysctl(const char* name) {
  const auto text = ReadFile(absl::StrCat("/proc/sys/net/core/", name));
  uint64_t value = 0;
  if (!text.ok() || !absl::SimpleAtoi(absl::StripAsciiWhitespace(*text), &value)) return std::nullopt;
  return value;
}

absl::StatusOr<uint64_t> MeasureLimit(int fd, int option, const char* name) {
  const int huge = INT_MAX / 2;
  int got = 0;
  socklen_t size = sizeof(got);
  if (setsockopt(fd, SOL_SOCKET, option, &huge, sizeof(huge)) != 0 ||
      getsockopt(fd, SOL_SOCKET, option, &got, &size) != 0) {
    return ErrnoStatus(errno, absl::StrCat("measure the limit of ", name));
  }
  return static_cast<uint64_t>(got) / 2;
}

absl::StatusOr<SocketLimits> ReadWith(int fd) {
  SocketLimits limits;
  limits.may_force_buffers =
      setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &kSmallBufferBytes, sizeof(kSmallBufferBytes)) == 0;
  if (const auto value = ReadSysctl("rmem_max")) {
    limits.rmem_max_bytes = *value;
  } else {
    TUTTI_ASSIGN_OR_RETURN(limits.rmem_max_bytes, MeasureLimit(fd, SO_RCVBUF, "SO_RCVBUF"));
  }
  if (const auto value = ReadSysctl("wmem_max")) {
    limits.wmem_max_bytes = *value;
  } else {
    TUTTI_ASSIGN_OR_RETURN(limits.wmem_max_bytes, MeasureLimit(fd, SO_SNDBUF, "SO_SNDBUF"));
  }
  return limits;
}

}  // namespace

absl::StatusOr<SocketLimits> ReadSocketLimits() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(errno, "open a UDP socket");
  auto limits = ReadWith(fd);
  close(fd);
  return limits;
}

absl::StatusOr<uint64_t> RaiseOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return ErrnoStatus(errno, "getrlimit RLIMIT_NOFILE");
  if (limit.rlim_cur < limit.rlim_max) {
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<uint64_t>(before);
  }
  return static_cast<uint64_t>(limit.rlim_cur);
}

}  // namespace tutti::observe
