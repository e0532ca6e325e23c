// One worker's session over the connections that carry it, one after the other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "common/net/ordered_messages.h"
#include "coordinator/fleet/worker_link.h"
#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

// To the rest of the fleet a link that lasts: while no connection is there, what is sent waits for the next
// one. A session whose worker does not number its messages ends with its connection and keeps nothing.
//
// Lives on the executor's thread, unlike the links of connections.
class Attachment final : public WorkerLink {
 public:
  // More than this on its way to a worker: it does not read, and its session is over.
  static constexpr size_t kMaxMessages = 1000;
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  // A new session over `connection`.
  Attachment(std::shared_ptr<WorkerLink> connection, bool resumable);

  // Random; 0: not resumable.
  uint64_t session_id() const { return session_id_; }
  // Null while it is away. The one that closes later is told by this from those before it.
  const WorkerLink* connection() const { return connection_.get(); }
  bool away() const { return connection_ == nullptr; }
  // Why the last connection ended; while it is away.
  const std::string& away_reason() const { return away_reason_; }
  // For whoever looks at the fleet: since when it is away, and that the worker has until `until_ns`.
  std::string DescribeAbsence(int64_t now_ns, int64_t until_ns) const;

  // False once the worker has said goodbye, or too much waits for it: then it ends with its connection.
  bool MayComeBack() const { return session_id_ != 0 && !goodbye_ && !overflowed_; }
  // Why it ended, if it ended by itself: else what the connection said.
  std::string WhyOver(const std::string& connection_reason) const;
  // Whether this hello takes the session up again, is not one that was overtaken, and nothing of the session
  // is missing at either end.
  bool Fits(const tutti::v1::Hello& hello) const;

  // The connection is of no use any more.
  void Detach(const std::string& reason, int64_t now_ns);
  // Says that the session goes on, with `registered` completed, and sends again what the worker has not
  // received. The hello fits. A connection that was believed in is ended.
  void Resume(std::shared_ptr<WorkerLink> connection, const tutti::v1::Hello& hello,
              tutti::v1::Registered registered);

  // For each message that arrives; only what is new is to be looked at. Not of this session any more after
  // kGap.
  net::Arrival Receive(const tutti::v1::WorkerMessage& message);

  void Send(tutti::v1::CoordinatorMessage message) override;
  void SendProbe(uint64_t sequence) override;
  void Close() override;
  void Break() override;
  std::string peer() const override { return peer_; }

 private:
  // Without waiting for the next probe where so many messages have come since it was told last.
  static constexpr uint64_t kAcknowledgeEach = 32;
  void Acknowledge();

  const uint64_t session_id_;
  std::shared_ptr<WorkerLink> connection_;
  std::string peer_;  // of the last connection
  net::OrderedMessages<tutti::v1::CoordinatorMessage> messages_;
  uint64_t told_received_ = 0;
  uint64_t attempt_ = 0;  // the last that was answered
  bool goodbye_ = false;
  bool overflowed_ = false;
  std::string away_reason_;
  int64_t away_since_ns_ = 0;
};

}  // namespace tutti::fleet
