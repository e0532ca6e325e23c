// Interarrival jitter as RFC 3550 section 6.4.1 defines it, with the integer filter of its appendix A.8.
#pragma once

#include <cstdint>
#include <optional>

namespace tutti::load {

// Used by one thread.
class Jitter {
 public:
  // `transit_ns`: arrival minus send time, both on the common timeline. It may be negative within the clocks'
  // bound; only differences matter, so that the clocks' offset cancels.
  void Add(int64_t transit_ns) {
    if (last_transit_ns_) {
      const int64_t difference = transit_ns - *last_transit_ns_;
      const int64_t distance = difference < 0 ? -difference : difference;
      scaled_ns_ += distance - ((scaled_ns_ + 8) >> 4);
    }
    last_transit_ns_ = transit_ns;
    ++samples_;
  }

  // Never negative; nullopt before the second datagram.
  std::optional<uint64_t> ns() const {
    if (samples_ < 2) return std::nullopt;
    return static_cast<uint64_t>(scaled_ns_ >> 4);
  }

 private:
  std::optional<int64_t> last_transit_ns_;
  int64_t scaled_ns_ = 0;  // 16 times the jitter
  uint64_t samples_ = 0;
};

}  // namespace tutti::load
