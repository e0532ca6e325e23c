// Workload: requests on one TCP connection, up to `outstanding` of them under way, answered in order.
#pragma once

#include <vector>

#include "worker/load/client_connection.h"
#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/request_schedule.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"
#include "worker/load/transaction_record.h"

namespace tutti::load {

// Bytes count as the kernel accepts the requests, a message is a completed transaction. Its latency: from
// before the call that gives the first byte of the request to the kernel until after the one that returned
// the last byte of the response.
class TcpRrClient final : public Stream {
 public:
  // Responses that are still due so long after the end of COOLDOWN are no longer waited for.
  static constexpr int64_t kPatienceNs = 1'000'000'000;

  TcpRrClient(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override { return connection_.Begin(target_port); }
  Wish wish() const override { return connection_.wish(); }
  absl::Status OnReady() override { return connection_.OnReady(); }
  absl::Status ConnectTimedOut() const override { return connection_.TimedOut(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  void ReadTcp(Edge& edge, size_t index) const override { connection_.ReadTcp(edge, index); }
  int rx_socket() const override { return connection_.fd(); }

 private:
  struct UnderWay {
    int64_t sent_ns = 0;
    int64_t due_ns = 0;
  };

  void Complete(StreamReport& report) override;
  void CloseSockets() override { connection_.Close(); }

  void Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // Starts what is due and sends what is unsent, as far as the kernel takes it at once; `now_ns` is renewed.
  // False if the connection failed.
  bool SendDue(const TrialClock& clock, int64_t& now_ns);
  bool SendMore(const TrialClock& clock, int64_t now_ns);
  // Waits for a response, or for what else there is to do; renews `now_ns`. False if the connection failed.
  bool Await(const TrialClock& clock, const TrialControl& control, int64_t& now_ns);
  // Until something arrives or can be sent, the next request is due, or kWakeUpNs.
  void Poll(const TrialClock& clock, int64_t now_ns, int64_t due_ns) const;
  bool Receive(const TrialClock& clock, int flags, int64_t& now_ns);
  void CountResponses(size_t bytes, int64_t now_ns);

  ClientConnection connection_;
  MessageBuffer request_;
  MessageBuffer response_;
  SendRecord record_;
  RequestSchedule schedule_;
  TransactionRecord transactions_;
  std::vector<UnderWay> under_way_;  // a ring
  size_t oldest_ = 0;
  size_t count_ = 0;             // in the ring
  size_t unsent_bytes_ = 0;      // of the newest request
  int64_t newest_sent_ns_ = 0;   // when the newest request was begun
  uint64_t response_bytes_ = 0;  // of the oldest one's response, read so far
};

}  // namespace tutti::load
