// Sockets of the test's own on this host, which no trial knows.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/socket_address.h"

namespace tutti::load {

inline uint16_t PortOf(const FileDescriptor& fd) { return SocketAddress::LocalOf(fd.get()).port(); }

// Bound to a free port of 127.0.0.1; one of SOCK_STREAM also listens.
inline FileDescriptor BoundSocket(int type) {
  FileDescriptor fd(socket(AF_INET, type, 0));
  const SocketAddress any = *SocketAddress::Parse("127.0.0.1", 0);
  EXPECT_EQ(bind(fd.get(), any.data(), any.length()), 0);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(listen(fd.get(), 1), 0);
  }
  return fd;
}

// Bound to `address` and connected to a port of 127.0.0.1.
inline FileDescriptor ConnectedSocket(int type, const std::string& address, uint16_t to_port) {
  FileDescriptor fd(socket(AF_INET, type, 0));
  const SocketAddress from = *SocketAddress::Parse(address, 0);
  EXPECT_EQ(bind(fd.get(), from.data(), from.length()), 0);
  const SocketAddress target = *SocketAddress::Parse("127.0.0.1", to_port);
  EXPECT_EQ(connect(fd.get(), target.data(), target.length()), 0);
  return fd;
}

}  // namespace tutti::load
