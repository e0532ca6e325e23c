#include "coordinator/fleet/worker_info.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/time/clock_mapping.h"
#include "common/time/nanoseconds.h"
#include "common/units/units.h"
#include "coordinator/fleet/drain_marks.h"

namespace tutti::fleet {
namespace {

using tutti::v1::WorkerInfo;

// To the digits that tell something: "340ms", "1.3s", "35s", "62m".
std::string AgeText(int64_t ns) {
  int64_t step_ns = kNsPerMs;
  if (ns >= kNsPerSecond) step_ns = kNsPerSecond / 10;
  if (ns >= 10 * kNsPerSecond) step_ns = kNsPerSecond;
  if (ns >= 3'600 * kNsPerSecond) step_ns = 60 * kNsPerSecond;
  return FormatDuration(ns - ns % step_ns);
}

// Empty: it is heard as it should be.
std::string SlowText(const WorkerView& worker) {
  if (worker.silent_ns && *worker.silent_ns > worker.lease_ns / 2) {
    return absl::StrCat("slow: nothing was heard of it for ", AgeText(*worker.silent_ns), " (lost after ",
                        FormatDuration(worker.lease_ns), ")");
  }
  if (worker.last_answer_ns && *worker.last_answer_ns > worker.lease_ns / 4) {
    return absl::StrCat("slow: its last answer took ", AgeText(*worker.last_answer_ns));
  }
  return "";
}

void DescribeClock(const WorkerClock& clock, WorkerInfo& info) {
  if (const std::optional<ClockMapping> mapping = clock.MappingNow()) {
    info.set_clock_offset_ns(mapping->reference_timeline().ns - mapping->reference_host().ns);
    info.set_clock_bound_ns(mapping->bound_ns());
    info.set_clock_drift_ppm(mapping->drift() * 1e6);
    info.set_clock_drift_bound_ppm(mapping->drift_bound() * 1e6);
  }
  if (const std::optional<int64_t> round_trip_ns = clock.RoundTripNs()) {
    info.set_clock_round_trip_ns(*round_trip_ns);
  }
  info.set_clock_source(clock.Source());
  info.set_clock_restarts(clock.restarts());
}

}  // namespace

WorkerInfo::State StateOf(const WorkerView& worker) {
  if (worker.lost) return WorkerInfo::STATE_LOST;
  if (worker.drain != nullptr) return WorkerInfo::STATE_DRAINING;
  return worker.run_id.empty() ? WorkerInfo::STATE_IDLE : WorkerInfo::STATE_BUSY;
}

std::string StateReason(const WorkerView& worker) {
  std::vector<std::string> parts;
  if (worker.lost) {
    parts.push_back(worker.lost_reason);
    if (worker.silent_ns) parts.push_back(absl::StrCat("last heard ", AgeText(*worker.silent_ns), " ago"));
  }
  if (worker.drain != nullptr) parts.push_back(DrainText(*worker.drain));
  if (!worker.lost) {
    if (!worker.run_id.empty()) parts.push_back(absl::StrCat("runs ", worker.run_id));
    std::string delay = worker.absence.empty() ? SlowText(worker) : worker.absence;
    if (!delay.empty()) parts.push_back(std::move(delay));
  }
  return absl::StrJoin(parts, "; ");
}

WorkerInfo DescribeWorker(const WorkerView& worker, bool with_facts) {
  WorkerInfo info;
  info.set_name(worker.name);
  *info.mutable_labels() = worker.hello.labels();
  info.set_state(StateOf(worker));
  info.set_state_reason(StateReason(worker));
  info.set_state_since_unix_ns(worker.state_since_unix_ns);
  if (with_facts) *info.mutable_facts() = worker.hello.facts();
  info.set_control_address(worker.hello.control_address());
  info.set_incarnation(worker.hello.incarnation());
  info.set_run_id(worker.run_id);
  info.set_peer(worker.peer);
  if (worker.drain != nullptr) *info.mutable_drain() = *worker.drain;
  if (worker.silent_ns) info.set_last_heard_unix_ns(worker.now_unix_ns - *worker.silent_ns);
  if (worker.clock != nullptr) DescribeClock(*worker.clock, info);
  return info;
}

}  // namespace tutti::fleet
