// What a worker keeps of its session, so that it can be taken up again when its connection broke.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "common/net/ordered_messages.h"
#include "tutti/v1/session.pb.h"

namespace tutti::session {

// Pure; not thread-safe.
class HeldSession {
 public:
  // Fewer than an outbox takes: all of it is sent again at once.
  static constexpr size_t kMaxMessages = 1000;
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  // Progress beyond this is dropped: it is live information, the report has every edge again.
  static constexpr size_t kMaxProgress = 512;
  static constexpr size_t kMaxProgressBytes = size_t{16} << 20;

  enum class Fate {
    kSend,  // now, or when a connection is there; numbered if the session is held
    kDrop,
    kFull,  // the coordinator takes nothing any more: the session is over
  };

  // A new session; 0: it ends with its connection, and nothing is numbered or kept.
  void Begin(uint64_t id);
  void End() { Begin(0); }

  bool held() const { return id_ != 0; }
  uint64_t id() const { return id_; }
  // What has come down in it.
  uint64_t received() const { return messages_.received(); }

  // Before a message is sent.
  Fate Keep(v1::WorkerMessage& message);
  // Of a message that arrived; only what is new is to be looked at. After kGap the session is of no use.
  net::Arrival Receive(const v1::CoordinatorMessage& message);
  // Takes the answer to the hello that named this session. False: it is not taken up again. Else what is to
  // be sent again is in kept().
  bool Resume(const v1::Registered& registered);

  using Messages = net::OrderedMessages<v1::WorkerMessage>;
  const std::deque<Messages::Kept>& kept() const { return messages_.kept(); }

 private:
  uint64_t id_ = 0;
  Messages messages_{kMaxMessages, kMaxBytes};
};

}  // namespace tutti::session
