// The life of one trial as a state machine: PREPARE, CONNECT, ARM, WARMUP, MEASURE, COOLDOWN, DRAIN, REPORT.
//
// Pure: time is given with each event (timeline, ns), what is to be sent is taken out, nobody is called. Each
// phase has a deadline; whatever happens the machine ends, and leaves no worker without an order to be idle.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "coordinator/results/merge.h"
#include "coordinator/results/plausible_report.h"
#include "coordinator/run/phase.h"
#include "tutti/v1/plan.pb.h"
#include "tutti/v1/result.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::run {

// How long each phase may take, in ns. A worker is told the first two as its own deadline; it is given
// `answer_ns` more, so that its own, more telling error arrives first.
struct TrialDeadlines {
  int64_t prepare_ns = 10'000'000'000;
  int64_t connect_ns = 5'000'000'000;
  int64_t answer_ns = 1'000'000'000;
  int64_t clocks_ns = 1'000'000'000;
  int64_t senders_stop_ns = 2'000'000'000;  // after the end of COOLDOWN
  int64_t drain_ns = 2'000'000'000;         // and for TCP what is queued at the measured rate
  int64_t drain_max_ns = 60'000'000'000;
  int64_t report_ns = 5'000'000'000;
  int64_t report_early_ns = 2'000'000'000;  // after a host was lost in the middle
  int64_t abort_ns = 800'000'000;
};

// What the lead from ARM to T0 is at the most: the setup's own, what is added for round trips, and for each
// host.
inline constexpr int64_t kMaxArmLeadNs = 1'000'000'000;
inline constexpr int64_t kMaxLeadRoundTripsNs = 2'000'000'000;
inline constexpr int64_t kLeadPerHostNs = 20'000;

struct TrialSetup {
  uint64_t trial_id = 0;
  tutti::v1::Timing timing;
  std::vector<tutti::v1::Flow> flows;
  std::map<std::string, std::vector<tutti::v1::StreamEnd>> ends;  // by host, not empty
  int64_t arm_lead_ns = 60'000'000;  // from ARM to T0, at least; the round trips are added
  TrialDeadlines deadlines;
};

struct WorkerClockView {
  ClockMapping mapping;
  int64_t round_trip_ns = 0;  // the worst of late: a busy host hears late
};

struct Outgoing {
  std::string host;
  tutti::v1::CoordinatorMessage message;
};

// What is known of the trial when it is over; the rest of results::TrialInput is the run's to fill in.
struct TrialOutcome {
  std::optional<TimelineTime> t0;  // unset: it did not come to ARM
  bool cancelled = false;
  bool armed_late = false;                // it ended because ARM took longer than its lead
  std::string aborted;                    // why OnStop ended it; empty: it did not
  std::string failure;                    // "PREPARE on host b: ..."; empty: the trial came to its end
  std::vector<results::HostInput> hosts;  // sorted; without `machine` and `mapping_after`
  std::vector<std::string> not_idle;      // told to abort and not known to be idle: not to be used again yet
};

class TrialMachine {
 public:
  explicit TrialMachine(TrialSetup setup);

  void Start(TimelineTime now);
  // Messages of other trials, of other hosts and of phases that are over are ignored.
  void OnMessage(TimelineTime now, const std::string& host, const tutti::v1::WorkerMessage& message);
  void OnLost(TimelineTime now, const std::string& host, const std::string& reason);
  // In kClocks: every host's clock as it is known now; a host without one ends the trial.
  void OnClocks(TimelineTime now, const std::map<std::string, WorkerClockView>& clocks);
  // Idempotent.
  void OnCancel(TimelineTime now);
  // Before the window's end: every host stops and reports what it has. Of no effect in any other phase.
  void OnStop(TimelineTime now, const std::string& reason);
  // Call it at deadline() or later.
  void OnTime(TimelineTime now);

  uint64_t trial_id() const { return setup_.trial_id; }
  Phase phase() const { return phase_; }
  bool finished() const { return phase_ == Phase::kFinished; }
  // When OnTime wants to be called; nullopt when finished.
  std::optional<TimelineTime> deadline() const;
  std::vector<Outgoing> TakeOutgoing();
  // Once, after it is finished.
  TrialOutcome TakeOutcome();

 private:
  struct HostState {
    std::vector<tutti::v1::StreamEnd> ends;
    std::set<uint32_t> sends;  // streams
    std::set<uint32_t> receives;
    bool answered = false;               // of the present phase
    bool gone = false;                   // lost, or it gave up: nothing more is expected of it
    bool idle = true;                    // it has no part of the trial any more
    std::string missing;                 // why its report will not come
    std::map<uint32_t, uint32_t> ports;  // of its receivers, by stream
    std::map<uint32_t, tutti::v1::SenderFinal> finals;
    std::vector<tutti::v1::EdgeSample> progress;
    std::optional<tutti::v1::TrialReport> report;
    std::vector<tutti::v1::StreamReport> failed_streams;
    ClockMapping mapping;
  };
  using HostEntry = std::pair<const std::string, HostState>;

  void Enter(Phase phase, TimelineTime deadline);
  void EnterConnect(TimelineTime now);
  void EnterDrain(TimelineTime now);
  void EnterReport(TimelineTime now, int64_t patience_ns);
  // Ends the trial before its report: everybody aborts.
  void Fail(TimelineTime now, const std::string& host, const std::string& reason);
  void Abort(TimelineTime now, const std::string& reason);
  // A host drops out while the others may still have something to tell.
  void GoOnWithout(TimelineTime now, const std::string& host, const std::string& reason);
  void Advance(TimelineTime now);
  void OnDeadline(TimelineTime now);

  void OnPrepared(TimelineTime now, HostEntry& host, const tutti::v1::Prepared& prepared);
  void OnFailed(TimelineTime now, HostEntry& host, const tutti::v1::TrialFailed& failed);
  void OnProgress(HostState& host, const tutti::v1::EdgeSample& edge);
  void OnReport(HostEntry& host, const tutti::v1::TrialReport& report);
  results::ReportBounds Bounds() const;
  void Answer(TimelineTime now, HostEntry& host, Phase phase);
  // What each phase still waits for, by name.
  std::vector<std::string> Unanswered() const;
  bool IsRunning() const { return phase_ >= Phase::kWarmup && phase_ <= Phase::kCooldown; }
  bool IsBeforeStart() const { return phase_ >= Phase::kPrepare && phase_ <= Phase::kArm; }
  int64_t DrainNs(const HostState& host) const;
  std::map<uint32_t, tutti::v1::SenderFinal> AllFinals() const;
  tutti::v1::CoordinatorMessage& Send(const std::string& host);

  const TrialSetup setup_;
  uint64_t largest_datagram_bytes_ = 1;
  std::map<std::string, HostState> hosts_;
  Phase phase_ = Phase::kNew;
  TimelineTime deadline_;
  TimelineTime t0_;
  bool armed_ = false;  // t0_ is set
  TrialOutcome outcome_;
  std::vector<Outgoing> outgoing_;
};

}  // namespace tutti::run
