// Measures the workers' clocks over UDP with the kernel's stamps: one thread, one socket per listening
// address, beside gRPC's port and of the same number.
//
// The thread takes what arrived in a millisecond at once: the instants are the kernel's, so a reply that
// waits is as good as one that does not, and a thousand workers cost a tenth of the wake-ups.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
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

  // Listens when this returns; Unix sockets are passed over. An address whose UDP port is taken is left out,
  // see closed(); none left is an error. `executor` runs on CLOCK_MONOTONIC, as `brackets` do; both outlive
  // the server.
  static absl::StatusOr<std::unique_ptr<ClockServer>> Start(Executor& executor,
                                                            const std::vector<net::Endpoint>& listen,
                                                            const BracketReader& brackets);
  ~ClockServer();
  ClockServer(const ClockServer&) = delete;
  ClockServer& operator=(const ClockServer&) = delete;

  const std::vector<uint32_t>& ports() const { return ports_; }  // each once
  // Why an address has no clock service, one sentence each: workers that come there are measured over their
  // sessions.
  const std::vector<std::string>& closed() const { return closed_; }

  // A new session; whoever knows its token is its worker.
  net::ClockToken Admit(Listener listener);
  // The listener is not called any more.
  void Dismiss(const net::ClockToken& token);
  // False where the worker has not made itself known, or the datagram could not be sent. The exchange is
  // complete with the reply to the next probe, or at once with a follow-up.
  bool Probe(const net::ClockToken& token, bool with_follow_up = false);

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
  // Tokens are random: any part of one is a hash.
  struct TokenHash {
    size_t operator()(const net::ClockToken& token) const;
  };
  using Listeners = std::unordered_map<net::ClockToken, Listener, TokenHash>;
  using Batch = std::vector<std::pair<net::ClockToken, ClockMeasurement>>;
  // What a door received at once, before the conversion knows its instants.
  struct Arrived {
    net::ClockDatagram datagram;
    net::DatagramPath path;
    std::optional<KernelStamp> stamp;
  };

  ClockServer(Executor& executor, const BracketReader& brackets);
  absl::Status Open(const net::Endpoint& endpoint);
  void Run();
  bool StopsWithin(int timeout_ms) const;
  void TakeFrom(size_t door, Batch& batch);
  void OnSendStamp(const Door& door, const net::StampedSocket::SendStamp& taken) TUTTI_REQUIRES(mutex_);
  void OnDatagram(size_t door, const Arrived& arrived, Batch& batch) TUTTI_REQUIRES(mutex_);
  void Deliver(Batch batch);

  Executor& executor_;
  std::vector<uint32_t> ports_;
  std::vector<std::string> closed_;
  const std::shared_ptr<Listeners> listeners_;         // the executor's thread
  RealtimeConversion conversion_;                      // the server's thread
  std::vector<net::StampedSocket::SendStamp> stamps_;  // likewise, of one door's turn
  std::vector<Arrived> arrived_;                       // likewise
  int stop_fd_ = -1;
  Mutex mutex_;
  std::vector<Door>
      doors_;  // fixed once the thread runs; `sent` under mutex_, see StampedSocket for the rest
  std::unordered_map<net::ClockToken, Session, TokenHash> sessions_ TUTTI_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tutti::fleet
