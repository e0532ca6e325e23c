// Workload: reads datagrams and tells by their headers what arrived, in which order, and when it was sent.
//
// What is counted is the same in every way to receive; a way (udp_read.h and its like) only takes datagrams
// from the kernel, one or several with a call. It is chosen once, so that nothing is decided per datagram.
// The datagrams of one call arrived, for all that is told of them, when the call returned.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "worker/load/jitter.h"
#include "worker/load/message_buffer.h"
#include "worker/load/sequence_tracker.h"
#include "worker/load/stream.h"
#include "worker/load/udp_gro.h"
#include "worker/load/udp_read.h"
#include "worker/load/udp_recvmmsg.h"
#include "worker/load/udp_run.h"

namespace tutti::load {

// Bytes and messages count first arrivals (and what is too late to tell): neither foreign datagrams nor
// duplicates.
class UdpReceiver final : public Stream, private Flow {
 public:
  UdpReceiver(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return local_.port(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  std::optional<uint32_t> ReadDrops() const override;
  int rx_socket() const override { return socket_.get(); }
  Flow* flow() override { return this; }

 private:
  // Flow.
  int watched_fd() const override { return socket_.get(); }
  bool is_sender() const override { return false; }
  uint64_t first_turn_bytes() const override { return 0; }
  Turn TakeTurn(const TrialClock& clock, int64_t now_ns) override;
  void EndTurns(const TrialClock&) override {}

  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  enum class Step { kData, kNothing, kFailed };
  struct Read {
    Step step = Step::kNothing;
    int64_t now_monotonic_ns = 0;  // after the call
  };

  // What the socket cannot do fails, or under best_effort leaves `read`.
  absl::Status ChooseWay();
  // One call; `flags` as recv(2)'s.
  template <class Way>
  Read ReadOnce(Way& way, const TrialClock& clock, int flags);
  template <class Way>
  void ReadLoop(Way& way, const TrialClock& clock, const TrialControl& control);
  template <class Way>
  void ReadQueued(Way& way, const TrialClock& clock, const DrainOrder& order);
  template <class Way>
  Turn TurnOf(Way& way, const TrialClock& clock);
  // Payload of the stream's own datagrams that one call gave: shared counters are written once a call.
  struct Tally {
    uint64_t messages = 0;
    uint64_t bytes = 0;
    uint64_t own = 0;  // duplicates too
  };
  // The datagram `i` of a call and those behind it that were sent with it; returns how many.
  template <class Way>
  uint32_t CountWithHeader(const Way& way, uint32_t i, uint32_t count, int64_t now_ns, Tally& tally);
  void CountRun(const UdpRun& run, int64_t now_ns, Tally& tally);
  // How many of the run arrived for the first time.
  uint32_t TrackRun(const UdpRun& run, ReceivedCohort& cohort);
  void CountWithoutHeader(const Datagram& datagram, const SocketAddress& source, Tally& tally);
  void AddPayload(const Tally& tally, int64_t now_ns);
  void ConnectTo(const SocketAddress& sender);
  // True once everything was accounted for, or nothing more is expected.
  bool Drained(const DrainOrder& order, int64_t now_monotonic_ns);
  void EnterDrain();

  const bool has_header_;
  const int discard_flag_;  // MSG_TRUNC, or 0
  bool connects_;           // to its sender, once that is known
  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  std::variant<UdpRead, UdpRecvmmsg, UdpGro> way_;
  MessageBuffer buffer_;  // way.slots() reads
  std::vector<ReceivedCohort> cohorts_;
  CohortCursor cursor_;
  SequenceTracker tracker_;
  Jitter jitter_;
  uint64_t foreign_ = 0;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
  int64_t last_monotonic_ns_ = 0;
  bool draining_ = false;
};

}  // namespace tutti::load
