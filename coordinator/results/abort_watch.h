// Whether a running trial has missed a threshold with `abort` for so long that it is to be ended.
//
// What is compared is the mean over the measure window so far, which is what the threshold compares in the
// end: one bad interval does little to it. A threshold is missed for as long as the mean has been on the
// wrong side without a break, the window's begin being the earliest instant; so nothing is aborted before the
// grace period of the window has passed. An interval of which the figure is not known (a host that did not
// report in time) is neither kept nor missed: it is left out of the mean, and its time does not count.
//
// Pure: no clock is read. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tutti/v1/plan.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::results {

// Of one trial.
class AbortWatch {
 public:
  explicit AbortWatch(const tutti::v1::Case& plan_case);

  // The trial's intervals, in their order. Why the trial is to be ended: "throughput.received of entry bulk
  // was 3.1Gbps over 5s, wanted >= 9.4Gbps (missed for 5s)"; told once, then never again.
  std::optional<std::string> Add(const tutti::v1::LiveInterval& interval);

 private:
  // A threshold, an entry, whether it is the entry's reverse.
  using Key = std::tuple<size_t, std::string, bool>;
  struct SoFar {
    double figure_s = 0;  // the figure times the seconds of which it is known
    int64_t known_ns = 0;
    int64_t missed_ns = 0;  // without a break
  };
  static std::optional<std::string> Judge(const tutti::v1::Threshold& threshold,
                                          const tutti::v1::LiveEntry& entry, int64_t interval_ns,
                                          SoFar& so_far);

  std::vector<tutti::v1::Threshold> thresholds_;            // those with `abort`
  std::map<std::string, tutti::v1::TrafficEntry> traffic_;  // by name; empty where there are none
  std::map<Key, SoFar> so_far_;
  bool told_ = false;
};

}  // namespace tutti::results
