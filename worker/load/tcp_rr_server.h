// Workload: answers the requests on its client's one TCP connection, until the client ends it.
#pragma once

#include "worker/load/message_buffer.h"
#include "worker/load/server_connection.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Bytes count as they are read, a message is a request that was read whole.
class TcpRrServer final : public Stream {
 public:
  TcpRrServer(StreamConfig config, const WindowGrid& grid)
      : Stream(std::move(config), grid), connection_(config_, report_, counters_) {}

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return connection_.port(); }
  Wish wish() const override { return connection_.wish(); }
  absl::Status OnReady() override;
  absl::Status ConnectTimedOut() const override { return connection_.TimedOut(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  void ReadTcp(Edge& edge, size_t index) const override { connection_.ReadTcp(edge, index); }
  int rx_socket() const override { return connection_.fd(); }

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override;

  // `bytes` more of requests were read: answers those that are whole. False if the stream ends here.
  bool Answer(size_t bytes, const TrialControl& control);
  bool SendResponse(const TrialControl& control);

  ServerConnection connection_;
  MessageBuffer request_;
  MessageBuffer response_;
  uint64_t request_bytes_ = 0;  // of the next request, read so far
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace tutti::load
