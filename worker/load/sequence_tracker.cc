#include "worker/load/sequence_tracker.h"

#include <algorithm>

namespace tutti::load {

Arrival SequenceTracker::ObserveOutOfStep(uint64_t sequence) {
  if (sequence > next_) {
    Skip(next_, sequence);
    Set(sequence);
    next_ = sequence + 1;
    return Arrival::kInOrder;
  }
  if (next_ - sequence > kWindow) return Arrival::kLate;
  if (WordOf(sequence) & BitOf(sequence)) return Arrival::kDuplicate;
  Set(sequence);
  return Arrival::kReordered;
}

// Forgets what the slots of [from, to) said about the sequences one window earlier.
void SequenceTracker::Skip(uint64_t from, uint64_t to) {
  if (to - from >= kWindow) {
    std::fill(seen_.begin(), seen_.end(), 0);
    return;
  }
  while (from < to) {
    if (from % 64 == 0 && to - from >= 64) {
      WordOf(from) = 0;
      from += 64;
    } else {
      WordOf(from) &= ~BitOf(from);
      ++from;
    }
  }
}

void SequenceTracker::SetRun(uint64_t first, uint32_t count) {
  for (const uint64_t end = first + count; first < end;) {
    const uint64_t bits = std::min(64 - first % 64, end - first);
    WordOf(first) |= (~uint64_t{0} >> (64 - bits)) << (first % 64);
    first += bits;
  }
}

}  // namespace tutti::load
