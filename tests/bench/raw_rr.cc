// The least that a transaction costs: one blocking call to ask, one to read the answer, one clock read.
//
//   raw_rr serve tcp|udp|crr PORT BYTES SECONDS
//   raw_rr ask tcp|udp|crr ADDRESS PORT BYTES WARMUP_MS MEASURE_MS
//
// Request and response have BYTES each. `crr` makes a connection for each transaction: the server closes
// first, and the client when it has read the end of the stream. `ask` keeps every latency and prints one
// line: transactions, ns of the window, and the latencies of rank ceil(n x 0.5) and ceil(n x 0.99) in ns. The
// reference of the request/response bench. Exits 1 with a message if a call fails.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

enum class Kind { kTcp, kUdp, kCrr };

struct Setup {
  Kind kind = Kind::kTcp;
  sockaddr_in address{};
  size_t bytes = 0;
};

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "raw_rr: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

int Open(const Setup& setup) {
  const int fd = socket(AF_INET, setup.kind == Kind::kUdp ? SOCK_DGRAM : SOCK_STREAM, 0);
  if (fd < 0) Die("socket");
  return fd;
}

void Connect(int fd, const sockaddr_in& address) {
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) Die("connect");
}

void NoDelay(int fd) {
  const int on = 1;
  if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) Die("TCP_NODELAY");
}

// False at the end of the stream.
bool ReadAll(int fd, std::vector<char>& buffer) {
  for (size_t have = 0; have < buffer.size();) {
    const ssize_t size = recv(fd, buffer.data() + have, buffer.size() - have, 0);
    if (size == 0) return false;
    if (size < 0) Die("recv");
    have += static_cast<size_t>(size);
  }
  return true;
}

void WriteAll(int fd, const std::vector<char>& buffer) {
  if (send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(buffer.size()))
    Die("send");
}

void Serve(const Setup& setup) {
  const int fd = Open(setup);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&setup.address), sizeof(setup.address)) != 0) Die("bind");
  std::vector<char> buffer(setup.bytes);
  if (setup.kind == Kind::kUdp) {
    sockaddr_in client{};
    socklen_t length = sizeof(client);
    if (recvfrom(fd, buffer.data(), buffer.size(), MSG_PEEK, reinterpret_cast<sockaddr*>(&client), &length) <
        0) {
      Die("recvfrom");
    }
    Connect(fd, client);
    while (ReadAll(fd, buffer)) WriteAll(fd, buffer);
    return;
  }
  if (listen(fd, 16) != 0) Die("listen");
  do {
    const int connection = accept(fd, nullptr, nullptr);
    if (connection < 0) Die("accept");
    if (setup.kind == Kind::kTcp) NoDelay(connection);
    while (ReadAll(connection, buffer)) {
      WriteAll(connection, buffer);
      if (setup.kind == Kind::kCrr) break;
    }
    close(connection);
  } while (setup.kind == Kind::kCrr);
}

// Returns the instant at which the response was complete.
int64_t ConnectAndAsk(const Setup& setup, std::vector<char>& buffer) {
  const int fd = Open(setup);
  Connect(fd, setup.address);
  WriteAll(fd, buffer);
  if (!ReadAll(fd, buffer)) Die("the server closed before it answered");
  const int64_t answered_ns = NowNs();
  char end = 0;
  if (recv(fd, &end, 1, 0) != 0) Die("the server did not close");
  close(fd);
  return answered_ns;
}

void Ask(const Setup& setup, int64_t warmup_ns, int64_t measure_ns) {
  std::vector<char> buffer(setup.bytes, 'x');
  std::vector<int64_t> latencies_ns;
  latencies_ns.reserve(8'000'000);
  int fd = -1;
  if (setup.kind != Kind::kCrr) {
    fd = Open(setup);
    Connect(fd, setup.address);
    if (setup.kind == Kind::kTcp) NoDelay(fd);
  }
  int64_t now_ns = NowNs();
  const int64_t begin_ns = now_ns + warmup_ns;
  while (now_ns < begin_ns + measure_ns) {
    const int64_t sent_ns = now_ns;
    if (setup.kind == Kind::kCrr) {
      const int64_t answered_ns = ConnectAndAsk(setup, buffer);
      now_ns = NowNs();
      if (sent_ns >= begin_ns) latencies_ns.push_back(answered_ns - sent_ns);
      continue;
    }
    WriteAll(fd, buffer);
    if (!ReadAll(fd, buffer)) Die("the server closed");
    now_ns = NowNs();
    if (sent_ns >= begin_ns) latencies_ns.push_back(now_ns - sent_ns);
  }
  if (latencies_ns.empty()) Die("no transaction");
  std::sort(latencies_ns.begin(), latencies_ns.end());
  const size_t count = latencies_ns.size();
  std::printf("%zu %ld %ld %ld\n", count, static_cast<long>(now_ns - begin_ns),
              static_cast<long>(latencies_ns[(count + 1) / 2 - 1]),
              static_cast<long>(latencies_ns[(count * 99 + 99) / 100 - 1]));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const bool asks = argc == 8 && words[1] == "ask";
  if (!asks && !(argc == 6 && words[1] == "serve")) {
    std::fprintf(stderr,
                 "usage: raw_rr serve tcp|udp|crr PORT BYTES SECONDS\n"
                 "       raw_rr ask tcp|udp|crr ADDRESS PORT BYTES WARMUP_MS MEASURE_MS\n");
    return 2;
  }
  const size_t at = asks ? 4 : 3;
  Setup setup;
  setup.kind = words[2] == "udp" ? Kind::kUdp : words[2] == "crr" ? Kind::kCrr : Kind::kTcp;
  setup.address.sin_family = AF_INET;
  setup.address.sin_port = htons(static_cast<uint16_t>(std::atoi(argv[at])));
  if (inet_pton(AF_INET, asks ? argv[3] : "0.0.0.0", &setup.address.sin_addr) != 1) Die(argv[3]);
  setup.bytes = static_cast<size_t>(std::atol(argv[at + 1]));
  if (asks) {
    Ask(setup, std::atol(argv[at + 2]) * 1'000'000, std::atol(argv[at + 3]) * 1'000'000);
  } else {
    alarm(static_cast<unsigned>(std::atoi(argv[at + 2])));
    Serve(setup);
  }
  return 0;
}
