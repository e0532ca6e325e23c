// What one stream has moved so far: written by its thread, read by the sampler, never reset.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::load {

// A cache line per stream, so that no two threads write into one. Relaxed: each counter stands alone.
class alignas(64) Counters {
 public:
  // By the stream's thread alone: no read-modify-write is needed.
  void AddBytes(uint64_t bytes) { bytes_.store(bytes_.load(kRelaxed) + bytes, kRelaxed); }
  void AddMessages(uint64_t messages) { messages_.store(messages_.load(kRelaxed) + messages, kRelaxed); }
  void AddMessage() { AddMessages(1); }

  uint64_t bytes() const { return bytes_.load(kRelaxed); }
  uint64_t messages() const { return messages_.load(kRelaxed); }

 private:
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
  std::atomic<uint64_t> bytes_ = 0;
  std::atomic<uint64_t> messages_ = 0;
};

}  // namespace tutti::load
