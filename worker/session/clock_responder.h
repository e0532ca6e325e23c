// Answers the coordinator's clock probes over UDP, on a thread of its own that the load does not starve.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/clock_datagram.h"
#include "common/net/stamped_socket.h"
#include "common/time/clock.h"
#include "common/time/realtime_conversion.h"

namespace tutti::session {

class ClockResponder {
 public:
  struct Options {
    std::string coordinator;      // numeric address
    std::vector<uint16_t> ports;  // the coordinator's; each is told until a probe comes
    net::ClockToken token{};
  };

  // Answers when this returns. `clock` and `brackets` show the same time and outlive the responder.
  static absl::StatusOr<std::unique_ptr<ClockResponder>> Start(const Options& options, const Clock& clock,
                                                               const BracketReader& brackets);
  ~ClockResponder();
  ClockResponder(const ClockResponder&) = delete;
  ClockResponder& operator=(const ClockResponder&) = delete;

 private:
  // The last reply, until the next one tells when it left.
  struct Reply {
    uint64_t sequence = 0;
    uint32_t number = 0;
    BoundedHostTime sent;
    bool by_kernel = false;
    bool usable = true;
  };

  ClockResponder(const Options& options, net::StampedSocket socket, std::vector<net::DatagramPath> targets,
                 const Clock& clock, const BracketReader& brackets);
  void Run();
  int64_t SayHello(int64_t now_ns);  // returns when to do so again
  void TakeSendStamps();
  void AwaitSendStamp();  // of the last reply, for a moment
  void TakeProbes();
  void Answer(uint64_t sequence, const KernelStamp& arrived, const net::DatagramPath& path);
  void FollowUp(const net::DatagramPath& path);
  void TellWhenLastReplyLeft(net::ClockDatagram& datagram);
  bool Send(const net::ClockDatagram& datagram, const net::DatagramPath& path, uint32_t* number);

  const net::ClockToken token_;
  const std::vector<net::DatagramPath> targets_;
  const Clock& clock_;
  net::StampedSocket socket_;
  RealtimeConversion conversion_;
  std::optional<Reply> last_reply_;
  int stamps_missed_ = 0;  // replies in a row whose stamp was waited for
  uint64_t answered_ = 0;  // the highest probe
  int64_t begin_ns_ = 0;
  int64_t last_probe_ns_ = 0;  // 0: none yet
  int stop_fd_ = -1;
  std::thread thread_;  // everything above but stop_fd_ is its own
};

}  // namespace tutti::session
