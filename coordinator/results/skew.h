// How much at once the streams of an entry ran: skews of their start, overlap with the window, stalls.
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/results/trial_view.h"

namespace tutti::results {

struct Togetherness {
  // Latest - earliest over the streams; unset if one of them did not report it, or if there is only one: it
  // has nothing to be apart from. A first send is taken in the
  // middle of [before, after] its call; running is each one's 100th message, or the 10th ms at its rate.
  std::optional<int64_t> first_send_skew_ns;
  std::optional<int64_t> running_skew_ns;
  // |true - stated| of both: the two worst clock bounds of different hosts at those instants (one host's own
  // offset cancels out) + the two worst half widths of a first send call.
  std::optional<int64_t> bound_ns;
  // Part of the window that lies in every stream's [first send, last send]; 0 if one of them never sent.
  std::optional<double> overlap_ratio;
  std::optional<int64_t> last_running_ns;        // trial time
  std::vector<const StreamView*> never_running;  // reported, but without a steady start
};

Togetherness TogethernessOf(const std::vector<const StreamView*>& streams, const TrialView& trial);

// The full intervals in which the kernel of a sender without a rate limit accepted nothing; unset if its
// intervals are not known, or if it has a rate or waits for responses. A shorter last interval is not judged,
// nor is what comes after the last send of a fixed volume.
std::optional<uint32_t> StalledIntervals(const StreamView& stream, const Grid& grid);

}  // namespace tutti::results
