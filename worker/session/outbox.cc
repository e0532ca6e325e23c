#include "worker/session/outbox.h"

#include <algorithm>
#include <utility>

namespace tutti::session {

bool Outbox::Push(v1::WorkerMessage message) {
  if (message.has_clock_reply()) {
    if (clock_replies_.size() >= kMaxMessages) return false;
    clock_replies_.push_back(std::move(message));
    return true;
  }
  const bool numbered = message.sequence() != 0;
  if (message.has_progress() && !numbered && messages_.size() >= kMaxProgress) return true;
  if (messages_.size() >= kMaxMessages) return false;
  messages_.push_back(std::move(message));
  return true;
}

std::optional<v1::WorkerMessage> Outbox::Pop() {
  std::deque<v1::WorkerMessage>& queue = clock_replies_.empty() ? messages_ : clock_replies_;
  if (queue.empty()) return std::nullopt;
  v1::WorkerMessage message = std::move(queue.front());
  queue.pop_front();
  return message;
}

}  // namespace tutti::session
