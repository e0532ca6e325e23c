// What the events of the runs say of those that have not ended: who waits, who runs, how much is being moved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "coordinator/telemetry/samples.h"
#include "tutti/v1/service.pb.h"

namespace tutti::telemetry {

// Pure; not thread-safe. Times are of one clock, in ns.
class OpenRuns {
 public:
  // Of any run, in their order from its beginning.
  void OnEvent(const tutti::v1::RunEvent& event, int64_t now_ns);

  // A run's rates are there from the first interval of a trial that all hosts have reported until that trial
  // ends: their number is bounded by the runs that run, not by those that ever ran.
  Families Collect(int64_t now_ns) const;

 private:
  struct Run {
    bool running = false;
    int64_t waits_since_ns = 0;                // unless it runs
    std::vector<tutti::v1::LiveEntry> latest;  // of the present trial
  };
  std::map<std::string, Run> runs_;  // by id
};

}  // namespace tutti::telemetry
