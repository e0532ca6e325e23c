// Workload: a connection for each transaction: connect, request, response, close.
//
// The server closes first, and the client only when it has read the end of the stream: as netperf's TCP_CRR
// (nettest_omni.c, disconnect_data_socket). TIME_WAIT stays on the server's side, where a later SYN of the
// same port takes its place (net/ipv4/tcp_minisocks.c, tcp_timewait_state_process), and the client's port is
// free at once. Were it the client, its 28,000 ports would be spent in seconds. No close is a reset.
#pragma once

#include "worker/load/client_connection.h"
#include "worker/load/load_thread.h"
#include "worker/load/message_buffer.h"
#include "worker/load/request_schedule.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"
#include "worker/load/transaction_record.h"

namespace tutti::load {

// Bytes count the requests that the kernel accepted, a message is a completed transaction. Its latency: from
// before the socket is opened until after the call that returned the last byte of the response; closing is in
// the rate of transactions, not in their latency. The connection of CONNECT, on which options are read back,
// is none.
class TcpCrrClient final : public Stream {
 public:
  // A transaction that is under way so long after the end of COOLDOWN is given up.
  static constexpr int64_t kPatienceNs = 1'000'000'000;

  TcpCrrClient(StreamConfig config, const WindowGrid& grid);

  absl::Status Prepare() override;
  absl::Status BeginConnect(uint16_t target_port) override { return first_.Begin(target_port); }
  Wish wish() const override { return first_.wish(); }
  absl::Status OnReady() override { return first_.OnReady(); }
  absl::Status ConnectTimedOut() const override { return first_.TimedOut(); }
  void TouchBuffers(const TrialControl& control) override;
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;

 private:
  enum class Progress { kDone, kGivenUp, kFailed };

  void Complete(StreamReport& report) override;
  void CloseSockets() override { first_.Close(); }

  void Exchange(const TrialClock& clock, const TrialControl& control, StartPriority& priority);
  // One transaction, begun at `begun_ns`.
  Progress Transact(const TrialClock& clock, const TrialControl& control, StartPriority& priority,
                    int64_t begun_ns, int64_t due_ns);
  // Opened, with the stream's options, bound; invalid: the stream has failed.
  FileDescriptor Open();
  Progress Connect(int fd, const TrialClock& clock, const TrialControl& control);
  Progress SendRequest(int fd, const TrialClock& clock, const TrialControl& control);
  // Reads so many bytes, or to the end of the stream if `to_end`.
  Progress Read(int fd, uint64_t bytes, bool to_end, const TrialClock& clock, const TrialControl& control);
  bool OutOfTime(const TrialClock& clock, const TrialControl& control) const;
  Progress Failed(int errno_value, const char* what);

  ClientConnection first_;
  bool has_options_ = false;  // that each connection is given; constant after Prepare
  // Without a port of its own, or routes by mark, a connection gets the source address that is asked for
  // unasked where the route to the peer prefers it: two calls less for each transaction.
  bool binds_ = true;
  std::vector<OptionOutcome> outcomes_;  // of the connection at hand
  MessageBuffer request_;
  MessageBuffer response_;
  SendRecord record_;
  RequestSchedule schedule_;
  TransactionRecord transactions_;
};

}  // namespace tutti::load
