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
  void Add(int64_t transit_ns) { Add(transit_ns, 1); }

  // Of `datagrams`, at least one, which arrived together and were sent together.
  void Add(int64_t transit_ns, uint32_t datagrams) {
    if (last_transit_ns_) {
      const int64_t difference = transit_ns - *last_transit_ns_;
      const int64_t distance = difference < 0 ? -difference : difference;
      scaled_ns_ += distance - Decay();
    }
    // Behind the first of them the difference is 0. Where the decay has come to its end it stays there.
    for (uint32_t i = 1; i < datagrams && Decay() > 0; ++i) scaled_ns_ -= Decay();
    last_transit_ns_ = transit_ns;
    samples_ += datagrams;
  }

  // Never negative; nullopt before the second datagram.
  std::optional<uint64_t> ns() const {
    if (samples_ < 2) return std::nullopt;
    return static_cast<uint64_t>(scaled_ns_ >> 4);
  }

 private:
  int64_t Decay() const { return (scaled_ns_ + 8) >> 4; }

  std::optional<int64_t> last_transit_ns_;
  int64_t scaled_ns_ = 0;  // 16 times the jitter
  uint64_t samples_ = 0;
};

}  // namespace tutti::load
