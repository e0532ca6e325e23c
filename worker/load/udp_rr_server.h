// Workload: answers each request datagram of its client with the header that it came with.
#pragma once

#include <vector>

#include "worker/load/jitter.h"
#include "worker/load/message_buffer.h"
#include "worker/load/sequence_tracker.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Bytes and messages count the first arrivals of requests, as a one-way receiver's. A duplicate is answered
// too, as any server does that keeps no state; the client knows its response for a stray one.
class UdpRrServer final : public Stream {
 public:
  UdpRrServer(StreamConfig config, const WindowGrid& grid) : Stream(std::move(config), grid), cursor_(grid) {}

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return local_.port(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  std::optional<uint32_t> ReadDrops() const override;
  int rx_socket() const override { return socket_.get(); }

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  // As recv(2); also where the first request came from.
  long Receive();
  // A datagram of `size` bytes is in the buffer. False: it is foreign.
  bool Count(size_t size, int64_t now_ns);
  // Answers it. False if the stream has failed.
  bool Respond();
  // True once every request was read, or nothing more is expected.
  bool Drained(const DrainOrder& order, int64_t now_monotonic_ns);

  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress source_;
  bool connected_ = false;  // to the client, whose port its first request tells
  MessageBuffer request_;
  MessageBuffer response_;
  std::vector<ReceivedCohort> cohorts_;
  CohortCursor cursor_;
  SequenceTracker tracker_;
  Jitter jitter_;
  uint64_t foreign_ = 0;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
  int64_t last_monotonic_ns_ = 0;
};

}  // namespace tutti::load
