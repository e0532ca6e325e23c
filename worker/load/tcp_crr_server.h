// Workload: accepts one connection after the other, answers its request and closes it.
#pragma once

#include "worker/load/message_buffer.h"
#include "worker/load/server_connection.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Closes first and in the normal way, see tcp_crr_client.h; a client is reset only where it broke off. Bytes
// count as they are read, a message is a request that was read whole.
class TcpCrrServer final : public Stream {
 public:
  TcpCrrServer(StreamConfig config, const WindowGrid& grid)
      : Stream(std::move(config), grid), connection_(config_, report_, counters_) {}

  absl::Status Prepare() override;
  uint16_t bound_port() const override { return connection_.port(); }
  Wish wish() const override { return connection_.wish(); }
  absl::Status OnReady() override { return connection_.OnReady(); }
  absl::Status ConnectTimedOut() const override { return connection_.TimedOut(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override;

  // The listener blocks and hands its timeouts and its normal close on to what it accepts (accept(2)). False
  // if the stream has failed.
  bool SetUpListener();
  // One connection, to its close.
  void Serve(int fd, const TrialClock& clock, const TrialControl& control);
  bool ReadRequest(int fd, const TrialClock& clock, const TrialControl& control);
  bool SendResponse(int fd, const TrialControl& control);
  bool OutOfTime(const TrialControl& control) const;

  ServerConnection connection_;
  MessageBuffer request_;
  MessageBuffer response_;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace tutti::load
