// What one end remembers of a session that outlives its connections, so that each numbered message arrives
// once and in order: what it has sent and the other end has not yet, and how far it has received.
//
// The rule on both sides: a message is numbered when it is sent, and sent again in the same order on each
// connection that follows, until the other end says that it has arrived. What arrives twice is dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace tutti::net {

enum class Arrival {
  kNew,       // the next one: take it
  kRepeated,  // taken before
  kGap,       // one before it is missing: the other end broke the rule
};

// `Message` has `void set_sequence(uint64_t)` and `size_t ByteSizeLong() const`. Pure; not thread-safe.
template <typename Message>
class OrderedMessages {
 public:
  struct Kept {
    Message message;
    size_t bytes = 0;
  };

  // A message is kept if fewer than this are, of whatever size it is itself.
  OrderedMessages(size_t max_messages, size_t max_bytes)
      : max_messages_(max_messages), max_bytes_(max_bytes) {}

  // Gives the message the next sequence, from 1, and keeps a copy. False, and nothing is changed: too much is
  // kept already.
  bool Number(Message& message) {
    if (kept_.size() >= max_messages_ || kept_bytes_ >= max_bytes_) return false;
    message.set_sequence(next_sequence_++);
    const size_t bytes = message.ByteSizeLong();
    kept_bytes_ += bytes;
    kept_.push_back({message, bytes});
    return true;
  }

  // The other end has everything up to `sequence`. False: so much was never sent.
  bool Acknowledge(uint64_t sequence) {
    if (sequence >= next_sequence_) return false;
    while (!kept_.empty() && FirstKept() <= sequence) {
      kept_bytes_ -= kept_.front().bytes;
      kept_.pop_front();
    }
    return true;
  }

  // Whether the other end, which has everything up to `sequence`, can be told the rest.
  bool CanGoOnAfter(uint64_t sequence) const {
    return sequence < next_sequence_ && sequence + 1 >= FirstKept();
  }

  // Of a message from the other end.
  Arrival Accept(uint64_t sequence) {
    if (sequence <= received_) return Arrival::kRepeated;
    if (sequence != received_ + 1) return Arrival::kGap;
    received_ = sequence;
    return Arrival::kNew;
  }

  // Everything up to here has arrived.
  uint64_t received() const { return received_; }
  // In the order of their numbers; what is to be sent again.
  const std::deque<Kept>& kept() const { return kept_; }
  size_t kept_bytes() const { return kept_bytes_; }

 private:
  uint64_t FirstKept() const { return next_sequence_ - kept_.size(); }

  size_t max_messages_;
  size_t max_bytes_;
  uint64_t next_sequence_ = 1;
  uint64_t received_ = 0;
  std::deque<Kept> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace tutti::net
