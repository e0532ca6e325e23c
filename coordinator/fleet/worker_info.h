// What the fleet says of one worker: its state, why, and how it is heard. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/fleet/worker_clock.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

// One worker as the fleet knows it at an instant. What it points to outlives it.
struct WorkerView {
  const std::string& name;
  const tutti::v1::Hello& hello;
  bool lost = false;
  const std::string& lost_reason;  // of one that is lost
  const std::string& run_id;       // empty: no run has it
  const tutti::v1::DrainMark* drain = nullptr;
  int64_t state_since_unix_ns = 0;
  std::optional<int64_t> silent_ns;       // since it was last heard; nullopt: never by this process
  std::optional<int64_t> last_answer_ns;  // how long its last answer took; nullopt: lost, or none yet
  int64_t lease_ns = 0;
  std::string peer;                    // empty: lost
  std::string absence;                 // since when its connection is away; empty: it is there, or lost
  const WorkerClock* clock = nullptr;  // null: lost
  int64_t now_unix_ns = 0;
};

// Lost wins over draining, which wins over busy and idle: run_id tells whether one that drains is still at
// work.
tutti::v1::WorkerInfo::State StateOf(const WorkerView& worker);

// Parts joined by "; ": why it is lost and when it was last heard, who drained it and why, which run it
// serves, and of one that is alive that its connection is away, or how slow it is: "slow: its last answer
// took 1.3s". Empty: it is idle and answers. An answer is late beyond a quarter of the lease; silence, which
// also lies between two probes, beyond a half.
std::string StateReason(const WorkerView& worker);

tutti::v1::WorkerInfo DescribeWorker(const WorkerView& worker, bool with_facts);

}  // namespace tutti::fleet
