// Workload: datagrams as fast as the socket takes them, or at a rate.
//
// What is counted and recorded is the same in every way to send; a way (udp_write.h and its like) only hands
// messages to the kernel. It is chosen once, so that nothing is decided per message.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/pacer.h"
#include "worker/load/send_failures.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"
#include "worker/load/udp_gso.h"
#include "worker/load/udp_sendmmsg.h"
#include "worker/load/udp_write.h"
#include "worker/load/udp_zerocopy.h"

namespace tutti::load {

class UdpSender final : public Stream, private Flow {
 public:
  UdpSender(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override;
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  Flow* flow() override { return this; }

 private:
  // Flow.
  int watched_fd() const override { return socket_.get(); }
  bool is_sender() const override { return true; }
  uint64_t first_turn_bytes() const override { return report_.max_send_call_bytes; }
  Turn TakeTurn(const TrialClock& clock, int64_t now_ns) override;
  void EndTurns(const TrialClock& clock) override;

  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  enum class Step { kSent, kNoRoom, kNotSent, kFailed };

  // What the socket cannot do fails, or under best_effort leaves `write`.
  absl::Status ChooseWay();
  void LayMessages();
  // The path is known: segments are never fragmented.
  absl::Status CheckSegments();
  void DescribePath();
  // The largest message that the path carries in one piece; 0 if the path is not known.
  uint64_t MostUnfragmentedBytes() const;
  template <class Way>
  void SendLoop(Way& way, const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // `most`, or as many whole messages as a fixed volume still takes.
  uint32_t MessagesLeft(uint32_t most) const;
  // One call with at most `messages` (way.batch() or less); `now_ns` was read right before, `flags` as
  // send(2)'s. kNoRoom, kNotSent: try again, there was no room, or the failure may pass.
  template <class Way>
  Step SendOnce(Way& way, const TrialClock& clock, int64_t now_ns, uint32_t messages, int flags);
  template <class Way>
  Turn TurnOf(Way& way, const TrialClock& clock, int64_t now_ns);
  // False if the stream has failed.
  bool SendFailed(int errno_value, int64_t now_ns);

  const bool has_header_;
  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  std::variant<UdpWrite, UdpSendmmsg, UdpGso, UdpZerocopy> way_;
  MessageBuffer messages_;  // way.slots() of them
  uint64_t sequence_ = 0;   // of the next message
  std::vector<SentCohort> cohorts_;
  CohortCursor cursor_;
  SendRecord record_;
  std::optional<Pacer> pacer_;
  PersistentFailure unreachable_;
  PersistentFailure no_buffers_;
};

}  // namespace tutti::load
