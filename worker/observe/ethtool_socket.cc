#include "worker/observe/ethtool_socket.h"

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::observe {

absl::StatusOr<EthtoolSocket> EthtoolSocket::Open() {
  const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return ErrnoStatus(errno, "open a socket for ethtool");
  return EthtoolSocket(fd);
}

EthtoolSocket::EthtoolSocket(EthtoolSocket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

EthtoolSocket& EthtoolSocket::operator=(EthtoolSocket&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

EthtoolSocket::~EthtoolSocket() {
  if (fd_ >= 0) close(fd_);
}

absl::Status EthtoolSocket::Ask(const std::string& device, const char* name, void* command) const {
  ifreq request{};
  if (device.size() >= sizeof(request.ifr_name)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " of ", device, ": the name is too long"));
  }
  memcpy(request.ifr_name, device.c_str(), device.size() + 1);
  request.ifr_data = static_cast<char*>(command);
  if (ioctl(fd_, SIOCETHTOOL, &request) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat(name, " of ", device));
}

}  // namespace tutti::observe
