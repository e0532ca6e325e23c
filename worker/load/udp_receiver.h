// Workload: reads datagrams and tells by their headers what arrived, in which order, and when it was sent.
#pragma once

#include <optional>
#include <vector>

#include "worker/load/jitter.h"
#include "worker/load/message_buffer.h"
#include "worker/load/sequence_tracker.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Bytes and messages count first arrivals (and what is too late to tell): neither foreign datagrams nor
// duplicates.
class UdpReceiver final : public Stream {
 public:
  UdpReceiver(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return local_.port(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  std::optional<uint32_t> ReadDrops() const override;

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  // A datagram of `size` bytes is in the buffer. False: it is foreign.
  bool Count(size_t size, int64_t now_ns);
  bool CountWithHeader(size_t size, int64_t now_ns);
  void CountPayload(size_t size, int64_t now_ns);
  // As recv(2).
  long Receive(int flags);
  void ReadQueued(const TrialClock& clock, const DrainOrder& order);
  // True once everything was accounted for, or nothing more is expected.
  bool Drained(const DrainOrder& order, int64_t now_monotonic_ns);
  void EnterDrain();

  const bool has_header_;
  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  SocketAddress source_;  // of the datagram in the buffer, where there is no header to tell
  MessageBuffer buffer_;
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
