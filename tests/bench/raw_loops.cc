// The least that moving bytes costs: one thread per stream, one blocking call per message, nothing counted.
//
//   raw_loops receive tcp|udp PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS
//   raw_loops send tcp|udp ADDRESS PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS
//
// Stream i uses port PORT + i. BUFFER_BYTES 0 leaves the kernel's default. The reference of the throughput
// bench: how far the tools are from what the machine can do. Prints nothing; exits 1 with a message if a call
// fails.
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
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Setup {
  bool tcp = false;
  std::string address;
  int port = 0;
  int streams = 0;
  size_t message_bytes = 0;
  int buffer_bytes = 0;
  int seconds = 0;
};

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "raw_loops: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

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

int OpenSocket(const Setup& setup, int buffer_option) {
  const int fd = socket(AF_INET, setup.tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
  if (fd < 0) Die("socket");
  if (setup.buffer_bytes > 0 &&
      setsockopt(fd, SOL_SOCKET, buffer_option, &setup.buffer_bytes, sizeof(int)) != 0) {
    Die("setsockopt of the buffer");
  }
  return fd;
}

int Bind(const Setup& setup, int stream) {
  const int fd = OpenSocket(setup, SO_RCVBUF);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = AddressOf("0.0.0.0", setup.port + stream);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) Die("bind");
  if (setup.tcp && listen(fd, 1) != 0) Die("listen");
  return fd;
}

// Until the end of the stream (TCP), or until nothing came for much longer than the sender sends (UDP).
void Receive(const Setup& setup, int bound_fd) {
  int fd = bound_fd;
  if (setup.tcp) {
    fd = accept(bound_fd, nullptr, nullptr);
    if (fd < 0) Die("accept");
  } else {
    const timeval timeout{.tv_sec = setup.seconds + 20, .tv_usec = 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  }
  std::vector<char> buffer(setup.message_bytes);
  while (recv(fd, buffer.data(), buffer.size(), 0) > 0) {
  }
  close(fd);
  if (fd != bound_fd) close(bound_fd);
}

void Send(const Setup& setup, int fd, Clock::time_point end) {
  const std::vector<char> buffer(setup.message_bytes, 'x');
  while (Clock::now() < end) {
    if (send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL) < 0 && errno != ENOBUFS) Die("send");
  }
  close(fd);
}

void RunReceivers(const Setup& setup) {
  std::vector<int> fds;
  for (int i = 0; i < setup.streams; ++i) fds.push_back(Bind(setup, i));
  std::vector<std::thread> threads;
  for (const int fd : fds) threads.emplace_back([&setup, fd] { Receive(setup, fd); });
  for (std::thread& thread : threads) thread.join();
}

void RunSenders(const Setup& setup) {
  std::vector<int> fds;
  for (int i = 0; i < setup.streams; ++i) {
    const int fd = OpenSocket(setup, SO_SNDBUF);
    const sockaddr_in address = AddressOf(setup.address.c_str(), setup.port + i);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) Die("connect");
    fds.push_back(fd);
  }
  const Clock::time_point end = Clock::now() + std::chrono::seconds(setup.seconds);
  std::vector<std::thread> threads;
  for (const int fd : fds) threads.emplace_back([&setup, fd, end] { Send(setup, fd, end); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool sends = argc == 9 && words[1] == "send";
  if (!sends && !(argc == 8 && words[1] == "receive")) {
    std::fprintf(stderr,
                 "usage: raw_loops receive PROTOCOL PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS\n"
                 "       raw_loops send PROTOCOL ADDRESS PORT STREAMS MESSAGE_BYTES BUFFER_BYTES SECONDS\n");
    return 2;
  }
  const size_t at = sends ? 4 : 3;
  const Setup setup{.tcp = words[2] == "tcp",
                    .address = sends ? words[3] : "",
                    .port = std::atoi(argv[at]),
                    .streams = std::atoi(argv[at + 1]),
                    .message_bytes = static_cast<size_t>(std::atol(argv[at + 2])),
                    .buffer_bytes = std::atoi(argv[at + 3]),
                    .seconds = std::atoi(argv[at + 4])};
  sends ? RunSenders(setup) : RunReceivers(setup);
  return 0;
}
