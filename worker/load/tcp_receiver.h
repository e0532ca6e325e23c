// Workload: accepts its sender's one connection and reads it to the end.
#pragma once

#include "worker/load/message_buffer.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Every read that returns data counts as a message. With `discard` the kernel drops the data and only counts
// it (MSG_TRUNC, tcp(7)): then there is no buffer.
class TcpReceiver final : public Stream, private Flow {
 public:
  TcpReceiver(StreamConfig config, const WindowGrid& grid) : Stream(std::move(config), grid) {}

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return local_.port(); }
  Wish wish() const override;
  absl::Status OnReady() override;
  absl::Status ConnectTimedOut() const override;
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  void ReadTcp(Edge& edge, size_t index) const override;
  int rx_socket() const override { return connection_.get(); }
  Flow* flow() override { return this; }

 private:
  // Flow.
  int watched_fd() const override { return connection_.get(); }
  bool is_sender() const override { return false; }
  uint64_t first_turn_bytes() const override { return 0; }
  Turn TakeTurn(const TrialClock& clock, int64_t now_ns) override;
  void EndTurns(const TrialClock&) override {}

  void Complete(StreamReport& report) override;
  void CloseSockets() override;

  enum class Step { kData, kNothing, kOver };
  struct Read {
    Step step = Step::kNothing;
    int64_t now_monotonic_ns = 0;  // after the call
  };

  absl::Status Accepted();
  // One call; `flags` as recv(2)'s. kOver: the stream ended, or failed.
  Read ReadOnce(const TrialClock& clock, int flags);

  FileDescriptor listener_;  // until the connection is there
  FileDescriptor connection_;
  SocketAddress local_;
  SocketAddress peer_;
  MessageBuffer buffer_;
  uint64_t foreign_ = 0;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace tutti::load
