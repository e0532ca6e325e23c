// A way to the coordinator that takes long or breaks: an address of its own whose TCP connections and
// datagrams are passed on late, each direction with delays of its own, or not at all.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/sync/thread_annotations.h"
#include "gtest/gtest.h"

namespace tutti::integration {

// For one worker. Datagrams overtake each other as their delays have it, bytes of a connection do not.
class SlowPath {
 public:
  using Delay = std::function<std::chrono::microseconds(std::mt19937_64&)>;

  // From `own_address` to 127.0.0.1, the same port.
  SlowPath(const std::string& own_address, uint16_t port, Delay there, Delay back)
      : there_(std::move(there)), back_(std::move(back)) {
    const sockaddr_in own = Address(own_address, port);
    const sockaddr_in coordinator = Address("127.0.0.1", port);
    listener_ = Socket(SOCK_STREAM);
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&own), sizeof(own)), 0);
    EXPECT_EQ(listen(listener_, 4), 0);
    door_ = Socket(SOCK_DGRAM);
    EXPECT_EQ(bind(door_, reinterpret_cast<const sockaddr*>(&own), sizeof(own)), 0);
    upstream_ = Socket(SOCK_DGRAM);
    EXPECT_EQ(connect(upstream_, reinterpret_cast<const sockaddr*>(&coordinator), sizeof(coordinator)), 0);
    threads_.emplace_back([this, coordinator] { PassConnections(coordinator); });
    threads_.emplace_back([this] { RelayDatagrams(); });
  }
  ~SlowPath() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    for (const int fd : {listener_, door_, upstream_}) close(fd);
  }
  // False: datagrams are lost from now on, as if somebody filtered them.
  void PassDatagrams(bool pass) { passes_datagrams_ = pass; }
  // What is connected is so no more, and nothing can be: until Mend.
  void Break() {
    MutexLock lock(mutex_);
    broken_ = true;
    passes_datagrams_ = false;
    for (const int fd : connected_) shutdown(fd, SHUT_RDWR);
  }
  // Nothing gets through, and nobody is told: until Mend, when what was sent meanwhile is passed on.
  void Silence() {
    silent_ = true;
    passes_datagrams_ = false;
  }
  void Mend() {
    MutexLock lock(mutex_);
    broken_ = false;
    silent_ = false;
    passes_datagrams_ = true;
  }

  SlowPath(const SlowPath&) = delete;
  SlowPath& operator=(const SlowPath&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  struct Late {
    std::vector<char> bytes;
    bool to_worker = false;
  };
  static constexpr int kLookMs = 50;  // how often threads look whether they are to end

  static int Socket(int type) {
    const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
    EXPECT_GE(fd, 0);
    return fd;
  }
  static sockaddr_in Address(const std::string& text, uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    EXPECT_EQ(inet_pton(AF_INET, text.c_str(), &address.sin_addr), 1);
    return address;
  }
  static bool IsReadable(int fd) {
    pollfd wait{fd, POLLIN, 0};
    return poll(&wait, 1, kLookMs) > 0;
  }

  void PassConnections(const sockaddr_in& coordinator) {
    std::vector<std::thread> passing;
    while (!stop_) {
      if (!IsReadable(listener_)) continue;
      const int worker = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (worker < 0) continue;
      const int server = Socket(SOCK_STREAM);
      const int on = 1;
      for (const int fd : {worker, server}) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      EXPECT_EQ(connect(server, reinterpret_cast<const sockaddr*>(&coordinator), sizeof(coordinator)), 0);
      if (!Admit(worker, server)) continue;
      passing.emplace_back([this, worker, server] {
        std::thread back([this, worker, server] { PassBytes(server, worker, back_); });
        PassBytes(worker, server, there_);
        back.join();
        MutexLock lock(mutex_);
        for (const int fd : {worker, server}) {
          connected_.erase(fd);
          close(fd);
        }
      });
    }
    for (std::thread& thread : passing) thread.join();
  }

  // Closes both while the way is broken.
  bool Admit(int worker, int server) {
    MutexLock lock(mutex_);
    if (!broken_) {
      connected_.insert({worker, server});
      return true;
    }
    const linger at_once{1, 0};
    setsockopt(worker, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close(worker);
    close(server);
    return false;
  }

  // The end of one direction ends both.
  void PassBytes(int from, int to, const Delay& delay) {
    std::mt19937_64 random(static_cast<uint64_t>(from) + 1);
    std::vector<char> bytes(1 << 16);
    while (!stop_) {
      if (!IsReadable(from)) continue;
      if (silent_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      const ssize_t size = recv(from, bytes.data(), bytes.size(), 0);
      if (size <= 0) break;
      std::this_thread::sleep_for(delay(random));
      if (send(to, bytes.data(), static_cast<size_t>(size), MSG_NOSIGNAL) != size) break;
    }
    shutdown(from, SHUT_RDWR);
    shutdown(to, SHUT_RDWR);
  }

  void RelayDatagrams() {
    std::mt19937_64 random(1);
    std::multimap<Clock::time_point, Late> late;
    sockaddr_in worker{};
    while (!stop_) {
      auto wait = std::chrono::nanoseconds(std::chrono::milliseconds(kLookMs));
      if (!late.empty()) wait = std::clamp(late.begin()->first - Clock::now(), Clock::duration(0), wait);
      pollfd waits[] = {{door_, POLLIN, 0}, {upstream_, POLLIN, 0}};
      const timespec timeout{0, wait.count()};
      ppoll(waits, 2, &timeout, nullptr);
      std::vector<char> bytes(2048);
      socklen_t size = sizeof(worker);
      ssize_t got = recvfrom(door_, bytes.data(), bytes.size(), MSG_DONTWAIT,
                             reinterpret_cast<sockaddr*>(&worker), &size);
      if (got >= 0)
        late.emplace(Clock::now() + there_(random), Late{{bytes.data(), bytes.data() + got}, false});
      got = recv(upstream_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (got >= 0)
        late.emplace(Clock::now() + back_(random), Late{{bytes.data(), bytes.data() + got}, true});
      while (!late.empty() && late.begin()->first <= Clock::now()) {
        const Late& due = late.begin()->second;
        if (passes_datagrams_ && due.to_worker) {
          sendto(door_, due.bytes.data(), due.bytes.size(), 0, reinterpret_cast<const sockaddr*>(&worker),
                 sizeof(worker));
        } else if (passes_datagrams_) {
          send(upstream_, due.bytes.data(), due.bytes.size(), 0);
        }
        late.erase(late.begin());
      }
    }
  }

  const Delay there_;
  const Delay back_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> passes_datagrams_ = true;
  std::atomic<bool> silent_ = false;
  Mutex mutex_;
  bool broken_ TUTTI_GUARDED_BY(mutex_) = false;
  std::set<int> connected_ TUTTI_GUARDED_BY(mutex_);  // both sockets of each connection
  int listener_ = -1;
  int door_ = -1;
  int upstream_ = -1;
  std::vector<std::thread> threads_;
};

// At least `least`, with a Pareto tail of `scale` and exponent 1.2 (no finite variance), cut at 30 ms.
inline SlowPath::Delay HeavyTailed(std::chrono::microseconds least, double scale_us) {
  return [=](std::mt19937_64& random) {
    const double uniform = std::generate_canonical<double, 53>(random);
    const double tail_us = scale_us * (std::pow(1 - uniform, -1 / 1.2) - 1);
    return least + std::chrono::microseconds(static_cast<int64_t>(std::min(tail_us, 30'000.0)));
  };
}

}  // namespace tutti::integration
