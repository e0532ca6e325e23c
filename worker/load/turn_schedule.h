// Whose turn it is among the flows of one thread: those that can move take turns in the order in which they
// became able to; those that wait for an instant come back when it has passed, the earliest first. Pure: time
// is told, and after construction nothing is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::load {

class TurnSchedule {
 public:
  // All of them wait for their sockets.
  explicit TurnSchedule(size_t flows) : states_(flows, State::kSocket), queue_(flows), left_(flows) {
    timers_.reserve(flows);
  }

  size_t left() const { return left_; }      // flows that are not over
  size_t queued() const { return queued_; }  // flows that can move

  bool is_over(uint32_t flow) const { return states_[flow] == State::kOver; }

  // Puts a flow that waits for its socket at the end of the queue; any other stays where it is.
  void SocketReady(uint32_t flow) {
    if (states_[flow] == State::kSocket) Enqueue(flow);
  }

  // What a flow that had its turn, or has not had one yet, waits for.
  void Again(uint32_t flow) { Enqueue(flow); }
  void WaitForSocket(uint32_t flow) { states_[flow] = State::kSocket; }
  void WaitUntil(uint32_t flow, int64_t at_ns) {
    states_[flow] = State::kTimer;
    timers_.emplace_back(at_ns, flow);
    std::push_heap(timers_.begin(), timers_.end(), std::greater<>());
  }
  void Over(uint32_t flow) {
    states_[flow] = State::kOver;
    --left_;
  }

  // Of the earliest timer; INT64_MAX: there is none.
  int64_t NextDueNs() const { return timers_.empty() ? INT64_MAX : timers_.front().first; }

  // Those that waited until `now_ns` or earlier can move.
  void Advance(int64_t now_ns) {
    while (!timers_.empty() && timers_.front().first <= now_ns) {
      const uint32_t flow = timers_.front().second;
      std::pop_heap(timers_.begin(), timers_.end(), std::greater<>());
      timers_.pop_back();
      Enqueue(flow);
    }
  }

  // All that wait for anything can move.
  void WakeAll() {
    Advance(INT64_MAX);
    for (uint32_t flow = 0; flow < states_.size(); ++flow) SocketReady(flow);
  }

  // The flow whose turn it is; it is in no queue until it is told what it waits for.
  std::optional<uint32_t> Next() {
    if (queued_ == 0) return std::nullopt;
    const uint32_t flow = queue_[head_];
    head_ = head_ + 1 == queue_.size() ? 0 : head_ + 1;
    --queued_;
    states_[flow] = State::kTurn;
    return flow;
  }

 private:
  enum class State : uint8_t { kSocket, kQueue, kTimer, kTurn, kOver };

  // Each flow is in the queue once at most, which therefore never overflows.
  void Enqueue(uint32_t flow) {
    states_[flow] = State::kQueue;
    const size_t end = head_ + queued_;
    queue_[end < queue_.size() ? end : end - queue_.size()] = flow;
    ++queued_;
  }

  std::vector<State> states_;
  std::vector<uint32_t> queue_;  // a ring of queued_ flows from head_ on
  size_t head_ = 0;
  size_t queued_ = 0;
  std::vector<std::pair<int64_t, uint32_t>> timers_;  // a heap, the earliest in front
  size_t left_;
};

}  // namespace tutti::load
