// Workload: a TCP connection that is kept full, or fed at a rate.
#pragma once

#include <optional>

#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/pacer.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"

namespace tutti::load {

// Bytes count as the kernel accepts them, a message once it was accepted whole.
class TcpSender final : public Stream {
 public:
  TcpSender(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override;
  Wish wish() const override;
  absl::Status OnReady() override;
  absl::Status ConnectTimedOut() const override;
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  void ReadTcp(Edge& edge, size_t index) const override;

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  absl::Status Connected();
  void SendLoop(const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // False if the loop has to end: at the end of COOLDOWN, when stopped, or when the connection failed.
  bool SendMessage(const TrialClock& clock, const TrialControl& control, int64_t now_ns);

  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  bool connecting_ = false;
  MessageBuffer message_;
  SendRecord record_;
  std::optional<Pacer> pacer_;
};

}  // namespace tutti::load
