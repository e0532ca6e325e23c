// Decides when failed sends of a datagram socket stop being bad luck and become the stream's failure. Pure.
#pragma once

#include <cstdint>

namespace tutti::load {

enum class SendFailure {
  kTransient,    // no room in a queue, or a signal: try the next message
  kUnreachable,  // the network or peer says no; fatal once it persists
  kFatal,        // will fail for ever
};

SendFailure ClassifySendFailure(int errno_value);

// ICMP errors may arrive as seldom as one a second (icmp_ratelimit), and the first ones in a burst of six:
// three of them that span half a second, with no quiet of three seconds between, are taken for persistent.
class PersistentFailure {
 public:
  // True once the failures persist. `now_ns` does not step back.
  bool Add(int64_t now_ns) {
    if (count_ == 0 || now_ns - last_ns_ > kQuietNs) {
      count_ = 0;
      first_ns_ = now_ns;
    }
    last_ns_ = now_ns;
    ++count_;
    return count_ >= kLeast && now_ns - first_ns_ >= kSpanNs;
  }

 private:
  static constexpr int64_t kQuietNs = 3'000'000'000;
  static constexpr int64_t kSpanNs = 500'000'000;
  static constexpr int kLeast = 3;

  uint64_t count_ = 0;
  int64_t first_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace tutti::load
