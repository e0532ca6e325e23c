#include "tests/bench/raw_setup.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace tutti::bench {
namespace {

sockaddr_in AddressOf(const char* text, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  if (inet_pton(AF_INET, text, &address.sin_addr) != 1) {
    errno = EINVAL;
    Die(text);
  }
  return address;
}

int OpenSocket(const RawSetup& setup, int buffer_option) {
  const int fd = socket(AF_INET, setup.tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
  if (fd < 0) Die("socket");
  if (setup.buffer_bytes > 0 &&
      setsockopt(fd, SOL_SOCKET, buffer_option, &setup.buffer_bytes, sizeof(int)) != 0) {
    Die("setsockopt of the buffer");
  }
  return fd;
}

int Bind(const RawSetup& setup, int stream) {
  const int fd = OpenSocket(setup, SO_RCVBUF);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = AddressOf("0.0.0.0", setup.port + stream);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) Die("bind");
  if (setup.tcp && listen(fd, 1) != 0) Die("listen");
  return fd;
}

void ReceiveOne(const RawSetup& setup, int bound_fd, RawReceive receive) {
  int fd = bound_fd;
  if (setup.tcp) {
    fd = accept(bound_fd, nullptr, nullptr);
    if (fd < 0) Die("accept");
  } else {
    const timeval timeout{.tv_sec = setup.seconds + 20, .tv_usec = 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  }
  receive(setup, fd);
  close(fd);
  if (fd != bound_fd) close(bound_fd);
}

void RunReceivers(const RawSetup& setup, RawReceive receive) {
  std::vector<int> fds;
  for (int i = 0; i < setup.streams; ++i) fds.push_back(Bind(setup, i));
  std::vector<std::thread> threads;
  for (const int fd : fds) threads.emplace_back(ReceiveOne, setup, fd, receive);
  for (std::thread& thread : threads) thread.join();
}

void RunSenders(const RawSetup& setup, RawSend send) {
  std::vector<int> fds;
  for (int i = 0; i < setup.streams; ++i) {
    const int fd = OpenSocket(setup, SO_SNDBUF);
    const sockaddr_in address = AddressOf(setup.address.c_str(), setup.port + i);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) Die("connect");
    fds.push_back(fd);
  }
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (const int fd : fds) threads.emplace_back([&setup, &stop, send, fd] { send(setup, fd, stop); });
  std::this_thread::sleep_for(std::chrono::seconds(setup.seconds));
  stop = true;
  for (std::thread& thread : threads) thread.join();
  for (const int fd : fds) close(fd);
}

}  // namespace

bool RawWait::GoesOn(ssize_t got) {
  if (got > 0) [[likely]] {
    poll_.Returned(true, 0);
    return true;
  }
  // A blocking call that found nothing has timed out.
  if (got == 0 || errno != EAGAIN || poll_.flags() == 0) return false;
  poll_.Returned(false, std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  return true;
}

void Die(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int RunRaw(int argc, char** argv, RawSend send, RawReceive receive) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool sends = argc == 12 && words[1] == "send";
  if (!sends && !(argc == 11 && words[1] == "receive")) {
    constexpr const char* kShared = "PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS READ_BYTES BATCH WAIT";
    std::fprintf(stderr, "usage: %s receive PROTOCOL %s\n       %s send PROTOCOL ADDRESS %s\n", argv[0],
                 kShared, argv[0], kShared);
    return 2;
  }
  const size_t at = sends ? 4 : 3;
  const RawSetup setup{.tcp = words[2] == "tcp",
                       .address = sends ? words[3] : "",
                       .port = std::atoi(argv[at]),
                       .streams = std::atoi(argv[at + 1]),
                       .message_bytes = static_cast<size_t>(std::atol(argv[at + 2])),
                       .buffer_bytes = std::atoi(argv[at + 3]),
                       .seconds = std::atoi(argv[at + 4]),
                       .read_bytes = static_cast<size_t>(std::atol(argv[at + 5])),
                       .batch = static_cast<unsigned>(std::atoi(argv[at + 6])),
                       .polls = words[at + 7] == "poll"};
  sends ? RunSenders(setup, send) : RunReceivers(setup, receive);
  return 0;
}

}  // namespace tutti::bench
