// What every raw loop needs beside its loop: the command line, the sockets, one thread per stream, the clock.
//
//   raw_NAME receive tcp|udp PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS READ_BYTES BATCH block|poll
//   raw_NAME send tcp|udp ADDRESS PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS READ_BYTES BATCH block|poll
//
// Stream i uses port PORT + i. BUFFER_BYTES 0 leaves the kernel's default. Both ends are told the same.
// Prints nothing; exits 1 with a message if a call fails.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <string>

#include "worker/load/receive_poll.h"

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
  bool polls = false;     // the receiver, before it blocks
};

// How a receiver waits, as tutti's do (worker/load/receive_poll.h). No clock is read but where nothing was
// there.
class RawWait {
 public:
  explicit RawWait(const RawSetup& setup) : poll_(setup.polls) {}

  int flags() const { return poll_.flags(); }  // of the next receive call
  // Whether to go on after a receive call returned `got`.
  bool GoesOn(ssize_t got);

 private:
  load::ReceivePoll poll_;
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
