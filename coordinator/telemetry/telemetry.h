// The coordinator's own state for Prometheus: the page behind /metrics.
//
// What can be looked up is read when the page is asked for: workers, runs, the process. What cannot is
// counted as it happens: how runs and trials ended, how late the thread of decisions was. docs/ci.md lists
// all of it.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/sync/executor.h"
#include "coordinator/run/event_log.h"
#include "coordinator/telemetry/open_runs.h"
#include "coordinator/telemetry/samples.h"
#include "tutti/v1/service.pb.h"

namespace tutti::telemetry {

struct TelemetryOptions {
  // The fleet as it is, with or without facts; called on the executor's thread.
  std::function<std::vector<tutti::v1::WorkerInfo>()> workers;
  std::string state_dir;  // where runs are kept; empty: in memory only
};

// Watches every run from its beginning. Made, told of events and destroyed on the executor's thread.
class Telemetry final : public run::EventWatcher {
 public:
  Telemetry(Executor& executor, TelemetryOptions options);
  ~Telemetry() override;
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  void OnEvent(const run::SharedEvent& event) override;
  void OnEnd() override {}

  // Prometheus' text format 0.0.4 in UTF-8. Thread-safe while this lives. /proc and the disk are read within
  // the call; `done` is called on the executor's thread, or never where this ends first.
  void Page(std::function<void(std::string)> done) const;

 private:
  std::string Render(const Families& outside) const;
  void AwaitProbe();

  Executor& executor_;
  const TelemetryOptions options_;
  const int64_t started_unix_ns_;
  OpenRuns open_runs_;
  prometheus::Registry registry_;
  prometheus::Family<prometheus::Counter>& runs_ended_;
  prometheus::Family<prometheus::Counter>& trials_;
  prometheus::Histogram& decision_delay_;
  TimerId probe_ = 0;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace tutti::telemetry
