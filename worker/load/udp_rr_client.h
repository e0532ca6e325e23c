// Workload: requests as datagrams, up to `outstanding` of them under way, matched with their responses by the
// sequence in the header.
#pragma once

#include <vector>

#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/request_schedule.h"
#include "worker/load/requests_under_way.h"
#include "worker/load/send_failures.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"
#include "worker/load/transaction_record.h"

namespace tutti::load {

// Bytes count the requests that the kernel accepted, a message is a completed transaction. A transaction
// without a response after kTimeOutNs is lost: it is counted and not tried again, and a response that comes
// later is stray, as is a second one.
class UdpRrClient final : public Stream {
 public:
  static constexpr int64_t kTimeOutNs = 1'000'000'000;

  UdpRrClient(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override;
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;
  int rx_socket() const override { return socket_.get(); }

 private:
  void Complete(StreamReport& report) override;
  void CloseSockets() override { socket_.Close(); }

  void Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // Starts what is due; `now_ns` is renewed. False if the stream has failed.
  bool SendDue(const TrialClock& clock, int64_t& now_ns);
  // Waits for a response, or for what else there is to do; renews `now_ns`. False if the stream has failed.
  bool Await(const TrialClock& clock, const TrialControl& control, int64_t& now_ns);
  bool Receive(const TrialClock& clock, int flags, int64_t& now_ns);
  void CountResponse(size_t bytes, int64_t now_ns);
  void CountLost(int64_t now_ns);
  // False if the stream has failed.
  bool CallFailed(int errno_value, const char* what, int64_t now_ns);

  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  MessageBuffer request_;
  MessageBuffer response_;
  std::vector<SentCohort> cohorts_;
  CohortCursor cursor_;
  SendRecord record_;
  RequestSchedule schedule_;
  TransactionRecord transactions_;
  RequestsUnderWay under_way_;
  PersistentFailure unreachable_;
  uint64_t next_sequence_ = 0;
  uint64_t lost_ = 0;         // of those sent in the window
  uint64_t lost_before_ = 0;  // of those sent before it
  uint64_t stray_ = 0;
  uint64_t foreign_ = 0;
};

}  // namespace tutti::load
