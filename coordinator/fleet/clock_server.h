// Measures the workers' clocks over UDP with the kernel's stamps: one thread, one socket per listening
// address, beside gRPC's port and of the same number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/channels.h"
#include "common/net/clock_datagram.h"
#include "common/net/stamped_socket.h"
#include "common/sync/executor.h"
#include "common/sync/thread_annotations.h"
#include "common/time/realtime_conversion.h"
#include "coordinator/fleet/probe_ledger.h"

namespace tutti::fleet {

// Admit, Dismiss, Probe and the destructor are called on the executor's thread, and so is every listener:
// none after the destructor.
class ClockServer {
 public:
  using Listener = std::function<void(const ClockMeasurement&)>;

  // Listens when this returns; Unix sockets are passed over. `executor` runs on CLOCK_MONOTONIC, as
  // `brackets` do; both outlive the server.
  static absl::StatusOr<std::unique_ptr<ClockServer>> Start(Executor& executor,
                                                            const std::vector<net::Endpoint>& listen,
                                                            const BracketReader& brackets);
  ~ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;

  const std::vector<uint32_t>& ports() const { return ports_; }

  // A new session; whoever knows its token is its worker.
  net::ClockToken Admit(Listener listener);
  // The listener is not called any more.
  void Dismiss(const net::ClockToken& token);
  // False where the worker has not made itself known, or the datagram could not be sent.
  bool Probe(const net::ClockToken& token);

 private:
  struct Session {
    bool known = false;  // the worker said where it is
    size_t socket = 0;
    net::DatagramPath path;
    ProbeLedger ledger;
  };
  // Which probe the kernel's number of a sent datagram belongs to.
  struct SentProbe {
    uint32_t number = 0;
    net::ClockToken token{};
    uint64_t sequence = 0;
  };
  struct Door {
    net::StampedSocket socket;
    std::vector<SentProbe> sent;  // by number, modulo its size
  };
  using Listeners = std::map<net::ClockToken, Listener>;
  using Batch = std::vector<std::pair<net::ClockToken, ClockMeasurement>>;

  ClockServer(Executor& executor, const BracketReader& brackets);
  void Run();
  void TakeSendStamps(Door& door);
  void TakeDatagrams(size_t door, Batch& batch);
  void OnDatagram(size_t door, const net::StampedSocket::Received& received,
                  const net::ClockDatagram& datagram, Batch& batch);
  void Deliver(Batch batch);

  Executor& executor_;
  std::vector<uint32_t> ports_;
  const std::shared_ptr<Listeners> listeners_;  // the executor's thread
  RealtimeConversion conversion_;               // the server's thread
  int stop_fd_ = -1;
  Mutex mutex_;
  std::vector<Door>
      doors_;  // fixed once the thread runs; `sent` under mutex_, see StampedSocket for the rest
  std::map<net::ClockToken, Session> sessions_ TUTTI_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tutti::fleet
