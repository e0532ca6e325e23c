// A run that a coordinator knows and tells of, for tests of those who follow it.
#pragma once

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/coordinator/cli/refusing_client.h"

namespace tutti::cli {

inline tutti::v1::RunEvent IntervalEvent(uint64_t sequence) {
  tutti::v1::RunEvent event;
  event.set_run_id("run-7");
  event.set_sequence(sequence);
  event.mutable_interval()->set_interval(static_cast<uint32_t>(sequence));
  tutti::v1::LiveEntry& entry = *event.mutable_interval()->add_entries();
  entry.set_entry("bulk");
  entry.set_received_bps(static_cast<double>(sequence) * 1e9);
  return event;
}

inline tutti::v1::RunEvent EndedEvent(uint64_t sequence, tutti::v1::RunStatus status, int exit_code) {
  tutti::v1::RunEvent event;
  event.set_run_id("run-7");
  event.set_sequence(sequence);
  event.mutable_ended()->set_schema_version(1);
  event.mutable_ended()->set_run_id("run-7");
  event.mutable_ended()->set_status(status);
  event.mutable_ended()->set_exit_code(exit_code);
  return event;
}

// Tells `events` behind what was asked for, at most `most` of them in one watch, which then breaks. With
// `interrupted` the user presses Ctrl-C behind the last event, and the watch goes on until it is stopped.
class WatchedRun final : public RefusingClient {
 public:
  absl::Status Watch(const tutti::v1::WatchRequest& request, const OnRunEvent& on_event,
                     const std::stop_token& stop) override {
    asked.push_back(request.after_sequence());
    size_t told = 0;
    for (const tutti::v1::RunEvent& event : events) {
      if (event.sequence() <= request.after_sequence()) continue;
      if (told++ == most) return absl::UnavailableError("connection reset");
      on_event(event);
    }
    if (!interrupted) return absl::OkStatus();
    raise(SIGINT);
    while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return absl::CancelledError("");
  }
  absl::StatusOr<tutti::v1::RunInfo> GetRun(const std::string&) override {
    if (!known.ok()) return known;
    return tutti::v1::RunInfo();
  }
  absl::Status Cancel(const std::string&) override {
    ++cancels;
    return absl::OkStatus();
  }

  absl::Status known;
  std::vector<tutti::v1::RunEvent> events;
  size_t most = 100;
  bool interrupted = false;
  std::vector<uint64_t> asked;
  int cancels = 0;
};

}  // namespace tutti::cli
