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
#include "common/time/followed_clock.h"
#include "coordinator/results/merge.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

tutti::v1::ClockMappingProto ToProto(const ClockMapping& mapping);

// Pure; not thread-safe. The worker does the same with the fits that reach it and tells in its report what
// came of it; without a report they count as followed when they were sent.
class TrialClocks {
 public:
  // The mapping that the host was armed with.
  void Arm(const std::string& host, const ClockMapping& mapping);
  // A later fit, sent to the host now. Without effect on a host that was not armed.
  void Follow(const std::string& host, const ClockMapping& fitted, TimelineTime now);
  // Fills what `input` says of the host's clock until the window's end; its report is there by now, or never.
  void Describe(const std::string& host, TimelineTime window_end, results::HostInput& input) const;

 private:
  std::map<std::string, std::unique_ptr<FollowedClock>> hosts_;
};

}  // namespace tutti::run
