#include "worker/load/rx_cpu.h"

#include <sys/socket.h>

namespace tutti::load {

std::optional<uint32_t> RxCpu(int fd) {
  int cpu = -1;
  socklen_t length = sizeof(cpu);
  if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_INCOMING_CPU, &cpu, &length) != 0 || cpu < 0) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(cpu);
}

}  // namespace tutti::load
