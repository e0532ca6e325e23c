// What answers and events take until their clients have taken them.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace tutti::http {

// Thread-safe. A body or a text stays in memory as a whole until its last byte is sent, so it counts as a
// whole, and once, however many are sent it.
class UnsentBytes {
 public:
  // Counts a body as long as there is anybody who holds it.
  using Share = std::shared_ptr<const void>;

  // `on_large_gone` is called when a body of at least `large_bytes` is held by nobody any more, on the thread
  // on which that happens; it must not block.
  UnsentBytes(size_t limit_bytes, size_t large_bytes, std::function<void()> on_large_gone)
      : limit_bytes_(limit_bytes), state_(std::make_shared<State>(large_bytes, std::move(on_large_gone))) {}

  // Whether one more large answer may be begun, whatever size it turns out to have.
  bool HasRoom() const { return state_->bytes < limit_bytes_; }
  size_t limit_bytes() const { return limit_bytes_; }

  Share Add(size_t bytes) { return std::make_shared<const Counted>(state_, bytes); }

 private:
  struct State {
    State(size_t large, std::function<void()> on_gone)
        : large_bytes(large), on_large_gone(std::move(on_gone)) {}
    const size_t large_bytes;
    const std::function<void()> on_large_gone;
    std::atomic<size_t> bytes{0};
  };
  class Counted {
   public:
    Counted(std::shared_ptr<State> state, size_t bytes) : state_(std::move(state)), bytes_(bytes) {
      state_->bytes += bytes_;
    }
    ~Counted() {
      state_->bytes -= bytes_;
      if (bytes_ >= state_->large_bytes) state_->on_large_gone();
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    const std::shared_ptr<State> state_;
    const size_t bytes_;
  };

  const size_t limit_bytes_;
  const std::shared_ptr<State> state_;
};

// Why nothing large is begun now; the end of the sentence is the caller's.
inline std::string NoRoomText(const UnsentBytes& unsent) {
  return "what clients have been answered and have not read yet takes " +
         std::to_string(unsent.limit_bytes() >> 20) + " MiB here, which is the most";
}

}  // namespace tutti::http
