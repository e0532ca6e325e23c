// The clocks of a trial's hosts while it runs: each host's trial time follows the latest fit without a jump,
// and how far it can have been from the common timeline is kept for the result.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "common/time/slewed_mapping.h"
#include "coordinator/results/merge.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

tutti::v1::ClockMappingProto ToProto(const ClockMapping& mapping);

// Pure; not thread-safe. The worker does the same with the same fits (common/time/slewed_mapping.h), a
// message's way later, which at the slope of the slewing is less than 1 ns per 2 us.
class TrialClocks {
 public:
  // The mapping that the host was armed with.
  void Arm(const std::string& host, const ClockMapping& mapping);
  // A later fit, sent to the host now. Without effect on a host that was not armed.
  void Follow(const std::string& host, const ClockMapping& fitted, TimelineTime now);
  // Fills what `input` says of the host's clock until the window's end.
  void Describe(const std::string& host, TimelineTime window_end, results::HostInput& input) const;

 private:
  struct HostClock {
    std::unique_ptr<SlewedMapping> mapping;
    ClockMapping latest;
    int64_t largest_bound_ns = 0;
    uint32_t refits = 0;
  };
  std::map<std::string, HostClock> hosts_;
};

}  // namespace tutti::run
