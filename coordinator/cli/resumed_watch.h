// Watches of a coordinator that outlive a broken connection: begun anew behind the last event that was seen.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "common/time/clock.h"
#include "coordinator/cli/coordinator_client.h"

namespace tutti::cli {

// Waits so long, or until `stop` is asked for.
void PauseFor(int64_t ns, const std::stop_token& stop);

// With a coordinator that is out of reach. Tests have a clock of their own.
struct Patience {
  int64_t most_ns = 30'000'000'000;  // 0: none, the first broken connection is the end
  const Clock* clock = &SystemClock::Get();
  std::function<void(int64_t ns, const std::stop_token& stop)> pause = PauseFor;
};

// Each event of the run once, from its beginning; ok once `on_event` has had its end. A broken connection is
// told to `said` and begun anew, half a second after each attempt that failed. Where the watch ends without
// the run's end, the coordinator is asked for the result, which is then the last event. A coordinator that is
// out of reach for longer than `patience`, and at an attempt begun after that, is Unavailable, and so is one
// that came back and does not know the run any more. `stop` ends it as Cancelled. Blocks.
absl::Status WatchRun(CoordinatorClient& client, const std::string& run_id,
                      const CoordinatorClient::OnRunEvent& on_event, const Patience& patience,
                      std::ostream& said, const std::stop_token& stop);

// The same of every change of a worker's state from now on; only an error or `stop` ends it. While no event
// has been seen there is none to go on behind: what happens while the connection is broken is missed, and
// `said` is told so when it is back.
absl::Status WatchFleet(CoordinatorClient& client, const CoordinatorClient::OnFleetEvent& on_event,
                        const Patience& patience, std::ostream& said, const std::stop_token& stop);

}  // namespace tutti::cli
