// Tells what each arriving sequence number is: in order, reordered, late or a duplicate.
//
// A bitmap remembers the last 65,536 sequences below the highest one seen. What is behind it cannot be told
// from a duplicate and is called late; whoever knows how much was sent caps it. Pure; used by one thread.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::load {

enum class Arrival {
  kInOrder,    // above everything seen
  kReordered,  // first arrival, below the highest seen
  kLate,       // behind the window: a first arrival or a duplicate
  kDuplicate,  // seen before
};

class SequenceTracker {
 public:
  static constexpr uint64_t kWindow = 65536;

  SequenceTracker() : seen_(kWindow / 64) {}

  Arrival Observe(uint64_t sequence) {
    if (sequence == next_) [[likely]] {
      Set(sequence);
      ++next_;
      return Arrival::kInOrder;
    }
    return ObserveOutOfStep(sequence);
  }

  // Whether the `count` sequences from `first` on are all above everything seen, which then was noted of them
  // all at once. If not, nothing was noted: observe them one by one.
  bool ObserveRun(uint64_t first, uint32_t count) {
    if (first < next_ || count > kWindow || first > UINT64_MAX - count) return false;
    if (first > next_) Skip(next_, first);
    SetRun(first, count);
    next_ = first + count;
    return true;
  }

 private:
  Arrival ObserveOutOfStep(uint64_t sequence);
  void Skip(uint64_t from, uint64_t to);
  void SetRun(uint64_t first, uint32_t count);

  uint64_t& WordOf(uint64_t sequence) { return seen_[sequence % kWindow / 64]; }
  static uint64_t BitOf(uint64_t sequence) { return uint64_t{1} << (sequence % 64); }
  void Set(uint64_t sequence) { WordOf(sequence) |= BitOf(sequence); }

  uint64_t next_ = 0;           // the highest sequence seen, plus one
  std::vector<uint64_t> seen_;  // bit s mod kWindow: s was seen, for s in [next_ - kWindow, next_)
};

}  // namespace tutti::load
