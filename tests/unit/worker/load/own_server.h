// Servers of the tests' own, over plain sockets: what they do to a client is known independently of it.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <thread>
#include <utility>

#include "tests/unit/worker/load/plain_sockets.h"
#include "tests/unit/worker/load/two_ends.h"
#include "worker/load/file_descriptor.h"

namespace tutti::load {

// A client's trial against a server that is no LoadTrial.
struct LoneClient {
  explicit LoneClient(uint16_t server_port) : port(server_port) {}

  const uint16_t port;
  std::unique_ptr<LoadTrial> trial;
  std::vector<SenderFinal> finals;
  LoadReport report;

  void Start(const StreamConfig& config, const TrialTiming& timing) {
    auto made = LoadTrial::Prepare({config}, timing, SystemClock::Get());
    ASSERT_TRUE(made.ok()) << made.status();
    trial = *std::move(made);
    const absl::Status connected = trial->Connect({{config.stream_id, port}}, InNs(2000 * kMs));
    ASSERT_TRUE(connected.ok()) << connected;
    const ClockMapping identity;
    ASSERT_TRUE(trial->Arm(identity, identity.Convert(InNs(30 * kMs)), nullptr).ok());
  }
  const StreamReport& Finish() {
    finals = trial->WaitSenders();
    report = trial->Report();
    return report.streams[0];
  }
};

// Accepts one connection and gives each byte that arrives to `serve`, which answers on the socket.
class OneByteServer {
 public:
  explicit OneByteServer(std::function<void(int fd)> serve) : listener_(BoundSocket(SOCK_STREAM)) {
    EXPECT_EQ(listen(listener_.get(), 4), 0);
    thread_ = std::thread([this, serve = std::move(serve)] {
      const FileDescriptor connection(accept(listener_.get(), nullptr, nullptr));
      char byte = 0;
      while (recv(connection.get(), &byte, 1, 0) == 1) serve(connection.get());
    });
  }
  ~OneByteServer() { thread_.join(); }

  uint16_t port() const { return PortOf(listener_); }

 private:
  FileDescriptor listener_;
  std::thread thread_;
};

}  // namespace tutti::load
