// Workload: datagrams as fast as the socket takes them, or at a rate.
#pragma once

#include <optional>
#include <vector>

#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/pacer.h"
#include "worker/load/send_failures.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"

namespace tutti::load {

class UdpSender final : public Stream {
 public:
  UdpSender(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override;
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  void DescribePath();
  void SendLoop(const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // False if the stream has failed.
  bool SendFailed(int errno_value, int64_t now_ns);

  const bool has_header_;
  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  MessageBuffer message_;
  std::vector<SentCohort> cohorts_;
  CohortCursor cursor_;
  SendRecord record_;
  std::optional<Pacer> pacer_;
  PersistentFailure unreachable_;
};

}  // namespace tutti::load
