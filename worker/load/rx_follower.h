// Puts each stream that is to run where its packets arrive onto that CPU, during the warm-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "worker/load/stream.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"
#include "worker/load/window_grid.h"

namespace tutti::load {

// Which CPU that is depends on the flow: on the queue that the device's hash or its filters choose, on RPS,
// and over veth and loopback on where the peer runs. So it is asked of the socket while packets arrive.
// Nothing is moved in the window.
//
// Follow is the sampler's; Tell comes after its thread was joined.
class RxFollower {
 public:
  // Pins the thread of the stream at that place.
  using Pin = std::function<absl::Status(size_t stream, uint32_t cpu)>;

  // `streams` outlives it.
  RxFollower(const std::vector<std::unique_ptr<Stream>>& streams, Pin pin);

  bool has_streams() const { return !followed_.empty(); }
  // Looks four times during the warm-up, the last time a fifth of it before the window begins: the sampler's
  // first edge is not to wait for it. False if the trial stops.
  bool Follow(const WindowGrid& grid, const TrialClock& clock, const TrialControl& control);
  // Into the reports of the streams, which have their `rx_cpu`: where each runs, and a cpu option that says
  // whether that is where its packets still arrived at the window's end.
  void Tell() const;

 private:
  struct Followed {
    size_t stream = 0;
    std::optional<uint32_t> cpu;  // pinned to
    absl::Status pinned;
  };

  void Look(Followed& followed);

  const std::vector<std::unique_ptr<Stream>>& streams_;
  const Pin pin_;
  std::vector<Followed> followed_;
};

}  // namespace tutti::load
