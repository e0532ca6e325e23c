// What every raw loop needs beside its loop: the command line, the sockets, one thread per stream, the clock.
//
//   raw_NAME receive tcp|udp PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS READ_BYTES BATCH
//   raw_NAME send tcp|udp ADDRESS PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS READ_BYTES BATCH
//
// Stream i uses port PORT + i. BUFFER_BYTES 0 leaves the kernel's default. Both ends are told the same.
// Prints nothing; exits 1 with a message if a call fails.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace tutti::bench {

struct RawSetup {
  bool tcp = false;
  std::string address;
  int port = 0;
  int streams = 0;
  size_t message_bytes = 0;
  int buffer_bytes = 0;
  int seconds = 0;
  size_t read_bytes = 0;  // of a read, or of each datagram's buffer
  unsigned batch = 1;     // messages per call
};

[[noreturn]] void Die(const char* what);

// On a connected socket, until `stop`.
using RawSend = void (*)(const RawSetup& setup, int fd, const std::atomic<bool>& stop);
// On a connected (TCP) or bound (UDP) socket, until the stream ends; a UDP socket's reads end some time after
// the sender has ended.
using RawReceive = void (*)(const RawSetup& setup, int fd);

// The whole program: returns its exit code.
int RunRaw(int argc, char** argv, RawSend send, RawReceive receive);

}  // namespace tutti::bench
