// The requests of a datagram client that have no response yet, found by their sequence. Pure; used by one
// thread; nothing is allocated after construction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tutti::load {

struct RequestUnderWay {
  uint64_t sequence = 0;
  int64_t sent_ns = 0;
  int64_t due_ns = 0;
};

// A list in the order of sending. Responses mostly arrive in it: the first entry is the one that is looked
// for, unless some are lost and wait for their time-out.
class RequestsUnderWay {
 public:
  // Room for `most` at once, at least 1.
  explicit RequestsUnderWay(uint32_t most) : entries_(most) {
    for (uint32_t i = 0; i < most; ++i) entries_[i].next = i + 1 < most ? i + 1 : kNone;
  }

  uint32_t size() const { return size_; }
  bool full() const { return size_ == entries_.size(); }

  // There must be room; sequences ascend.
  void Add(const RequestUnderWay& request) {
    const uint32_t entry = free_;
    free_ = entries_[entry].next;
    entries_[entry] = {request, kNone};
    (size_ == 0 ? first_ : entries_[last_].next) = entry;
    last_ = entry;
    ++size_;
  }

  // Takes out the one that is answered; nullopt: none of those under way has this sequence.
  std::optional<RequestUnderWay> Take(uint64_t sequence) {
    uint32_t before = kNone;
    for (uint32_t entry = first_; size_ > 0 && entry != kNone; before = entry, entry = entries_[entry].next) {
      if (entries_[entry].request.sequence > sequence) break;
      if (entries_[entry].request.sequence == sequence) return Remove(before, entry);
    }
    return std::nullopt;
  }

  // Takes out the oldest if it was sent at `ns` or before.
  std::optional<RequestUnderWay> TakeSentUntil(int64_t ns) {
    if (size_ == 0 || entries_[first_].request.sent_ns > ns) return std::nullopt;
    return Remove(kNone, first_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    RequestUnderWay request;
    uint32_t next = kNone;
  };

  RequestUnderWay Remove(uint32_t before, uint32_t entry) {
    const uint32_t next = entries_[entry].next;
    (before == kNone ? first_ : entries_[before].next) = next;
    if (last_ == entry) last_ = before;
    entries_[entry].next = free_;
    free_ = entry;
    --size_;
    return entries_[entry].request;
  }

  std::vector<Entry> entries_;
  uint32_t size_ = 0;
  uint32_t first_ = kNone;
  uint32_t last_ = kNone;
  uint32_t free_ = 0;
};

}  // namespace tutti::load
