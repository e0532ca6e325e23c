// Workload: a TCP connection that is kept full, or fed at a rate.
//
// What is counted and recorded is the same in every way to send; a way (tcp_write.h and its like) only hands
// bytes to the kernel. It is chosen once, so that nothing is decided per message.
#pragma once

#include <optional>
#include <variant>

#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/pacer.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"
#include "worker/load/tcp_sendfile.h"
#include "worker/load/tcp_write.h"
#include "worker/load/tcp_zerocopy.h"

namespace tutti::load {

// Bytes count as the kernel accepts them, a message once it was accepted whole.
class TcpSender final : public Stream, private Flow {
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
  int rx_socket() const override { return socket_.get(); }
  Flow* flow() override { return this; }

 private:
  // Flow.
  int watched_fd() const override { return socket_.get(); }
  bool is_sender() const override { return true; }
  uint64_t first_turn_bytes() const override { return config_.message_size_bytes; }
  Turn TakeTurn(const TrialClock& clock, int64_t now_ns) override;
  void EndTurns(const TrialClock& clock) override;

  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  // Chooses the way and reserves the message; what the host cannot do fails, or under best_effort leaves
  // `write`.
  absl::Status ChooseWay();
  absl::Status Connected();
  enum class Step { kSent, kNotSent, kFailed };

  template <class Way>
  void SendLoop(Way& way, const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // One call with what is left of the message under way, or with the next one; `now_ns` was read right
  // before, `flags` as send(2)'s. kSent: the kernel took a part or all; kNotSent: try again.
  template <class Way>
  Step SendOnce(Way& way, const TrialClock& clock, int64_t now_ns, int flags);
  template <class Way>
  Turn TurnOf(Way& way, const TrialClock& clock, int64_t now_ns);
  bool between_messages() const { return offset_ == 0; }

  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  bool connecting_ = false;
  std::variant<TcpWrite, TcpSendfile, TcpZerocopy> way_;
  MessageBuffer message_;
  FileDescriptor file_;           // sendfile's: the message
  size_t offset_ = 0;             // how much of the message under way was accepted
  int64_t message_began_ns_ = 0;  // before its first call
  SendRecord record_;
  std::optional<Pacer> pacer_;
};

}  // namespace tutti::load
