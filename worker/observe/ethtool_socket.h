// The SIOCETHTOOL ioctl (linux/ethtool.h) in the network namespace of the thread that opened it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::observe {

// The kernel answers what is asked here to any user (dev_ethtool in net/ethtool/ioctl.c), one call after
// the other under the lock of its network configuration. Thread-safe.
class EthtoolSocket {
 public:
  static absl::StatusOr<EthtoolSocket> Open();
  EthtoolSocket(EthtoolSocket&& other) noexcept;
  EthtoolSocket& operator=(EthtoolSocket&& other) noexcept;
  ~EthtoolSocket();

  // `command` is a structure that begins with its number; the answer replaces it. `name` is the command's,
  // for the error: "ETHTOOL_GRINGPARAM of lo: Operation not supported (EOPNOTSUPP)", as virtual devices say
  // to most.
  absl::Status Ask(const std::string& device, const char* name, void* command) const;

 private:
  explicit EthtoolSocket(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace tutti::observe
