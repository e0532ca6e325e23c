// The workers that this coordinator knows: who may register, who is alive, whose clock says what, who serves
// which run.
//
// Everything here runs on the executor's thread; sessions and API calls post to it.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/sync/executor.h"
#include "common/time/clock.h"
#include "common/time/clock_mapping.h"
#include "coordinator/fleet/attachment.h"
#include "coordinator/fleet/drain_journal.h"
#include "coordinator/fleet/drain_marks.h"
#include "coordinator/fleet/fleet_events.h"
#include "coordinator/fleet/worker_clock.h"
#include "coordinator/fleet/worker_info.h"
#include "coordinator/fleet/worker_link.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/session.pb.h"

namespace tutti::fleet {

// A run listens to the workers that it holds. Called on the executor's thread.
class WorkerListener {
 public:
  virtual ~WorkerListener() = default;
  // Everything but hellos, clock replies and heartbeats.
  virtual void OnWorkerMessage(const std::string& worker, tutti::v1::WorkerMessage message) = 0;
  // Its part of what was going on is lost; it may register again later. A connection that breaks is not that:
  // within the lease the worker may take its session up again, and nothing is lost.
  virtual void OnWorkerLost(const std::string& worker, const std::string& reason) = 0;
  // It is there: anew, or again after its connection was away.
  virtual void OnWorkerRegistered(const std::string& worker) = 0;
};

struct FleetOptions {
  int64_t lease_ns = 2'000'000'000;
  ProbeOptions probes;
  DrainJournal* journal = nullptr;  // outlives the fleet; null: drains end with this process
  Drains drains;                    // that the journal had kept
};

// A worker as placement and a run need it.
struct Member {
  tutti::v1::Hello hello;
  bool lost = false;
  std::string lost_reason;                    // empty unless lost
  int64_t state_since_ns = 0;                 // timeline
  std::optional<tutti::v1::DrainMark> drain;  // set: no new run gets it
  // While its connection is away: by then (timeline) it is back or lost.
  std::optional<int64_t> away_until_ns;
};

// How a worker's clock is measured at present.
struct ClockQuality {
  tutti::v1::ClockSource source = tutti::v1::CLOCK_SOURCE_UNSPECIFIED;
  std::optional<int64_t> round_trip_ns;  // the least in use
  uint64_t restarts = 0;                 // how often the clock contradicted its own history
};

class Fleet {
 public:
  // `clocks` measures over UDP and outlives the fleet; null: clocks are measured over the sessions alone.
  // A name that options.drains has is known from the beginning: lost, until it registers.
  Fleet(Executor& executor, const FleetOptions& options, ClockServer* clocks = nullptr);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  // From the sessions. A hello is answered with Registered or Refused, perhaps after a moment: whether the
  // holder of the same name is alive is asked of the holder itself, by a probe. One that takes a session up
  // again is answered at once.
  void HandleHello(std::shared_ptr<WorkerLink> link, tutti::v1::Hello hello);
  // `received`: when the message arrived.
  void HandleMessage(const WorkerLink* link, tutti::v1::WorkerMessage message, TimelineTime received);
  void HandleClosed(const WorkerLink* link, const std::string& reason);

  // By name. A host's facts are several KB.
  std::vector<tutti::v1::WorkerInfo> Snapshot(bool with_facts = true) const;
  // nullopt: unknown.
  std::optional<tutti::v1::WorkerInfo> Describe(const std::string& worker, bool with_facts) const;
  std::vector<Member> Members() const;
  std::optional<Member> Find(const std::string& worker) const;

  // False if the worker is lost or unknown. While its connection is away the message waits.
  bool Send(const std::string& worker, tutti::v1::CoordinatorMessage message);

  // The workers' messages go to `listener` until Release. Each must be known and held by nobody.
  void Assign(const std::vector<std::string>& workers, const std::string& run_id, WorkerListener* listener);
  void Release(const std::vector<std::string>& workers);

  // Ends the worker's session: it is lost until it registers anew, which it does once nothing is left of what
  // it was doing. Without effect on one that is lost or unknown.
  void Drop(const std::string& worker, const std::string& reason) { Lose(worker, reason); }

  // No run that is prepared later gets a worker of this name, whichever process has it; one that has it, or
  // waits for it, goes on. In force when the call returns; `done` is called, perhaps within the call, when it
  // is kept as well, or with an error that says that it is not (DrainMarks::Keep). A second drain replaces
  // the reason and the user of the first. NotFound: no such worker; InvalidArgument: see CheckDrain.
  void Drain(const tutti::v1::DrainWorkerRequest& request, std::function<void(const absl::Status&)> done);
  // Likewise; nothing happens to a worker that is not drained.
  void Undrain(const std::string& worker, std::function<void(const absl::Status&)> done);
  // Nothing is known of the worker any more, nor of a drain; it may register again, as a new one. NotFound:
  // no such worker; FailedPrecondition: it is not lost, or a run still holds it.
  absl::Status Forget(const std::string& worker);

  // Every change of a worker's state, of its run and of its drain; see FleetEvents for what is kept. A
  // watcher must not call the fleet but for Unwatch.
  void Watch(uint64_t after_sequence, const std::shared_ptr<FleetWatcher>& watcher) {
    events_.Watch(after_sequence, watcher);
  }
  void Unwatch(const FleetWatcher* watcher) { events_.Unwatch(watcher); }

  // nullopt: lost, unknown, or not measured yet.
  std::optional<ClockMapping> Mapping(const std::string& worker) const;
  // How well the clock is known; nullopt as above.
  std::optional<ClockQuality> Quality(const std::string& worker) const;
  // The longest of the last replies, see WorkerClock; 0 if there is none.
  int64_t WorstRoundTripNs(const std::string& worker) const;

  // Ends every session once what was queued for it is sent: the coordinator goes.
  void CloseSessions();

  // Probes the clocks in a burst; `done` is called once, later, when every worker has answered, was lost, or
  // the refresh timed out.
  void RefreshClocks(const std::vector<std::string>& workers, std::function<void()> done);

 private:
  struct Worker {
    tutti::v1::Hello hello;
    std::shared_ptr<Attachment> link;    // null: lost
    std::unique_ptr<WorkerClock> clock;  // null: lost
    int64_t last_heard_ns = 0;           // 0: never
    int64_t excused_ns = 0;              // silence before this was not the worker's
    std::string lost_reason;
    int64_t state_since_ns = 0;
    int64_t state_since_unix_ns = 0;
    std::string run_id;  // empty: idle
    WorkerListener* listener = nullptr;
  };
  // A worker that claims a name whose holder may be alive.
  struct Contender {
    std::shared_ptr<WorkerLink> link;
    tutti::v1::Hello hello;
    int64_t since_ns = 0;
    TimerId timeout = 0;
  };

  void Register(const std::shared_ptr<WorkerLink>& link, tutti::v1::Hello hello);
  void Resume(std::shared_ptr<WorkerLink> link, const tutti::v1::Hello& hello);
  tutti::v1::Registered AnswerTo(const Worker& worker) const;
  static bool IsSuccessor(const tutti::v1::Hello& hello, const Worker& holder);
  void Contend(std::shared_ptr<WorkerLink> link, tutti::v1::Hello hello, const Worker& holder);
  // The holder answered a probe sent at `probe_sent_ns`: those who came before that are refused.
  void RefuseContenders(const std::string& name, const Worker& holder, int64_t probe_sent_ns);
  void AdmitContenders(const std::string& name);
  void Lose(const std::string& name, const std::string& reason);
  // When it is lost unless it is heard.
  int64_t LeaseEndNs(const Worker& worker) const;
  void CheckLeases();
  // What a loss may be due to, to be put behind its reason; empty: this process ran all the time.
  std::string StandstillText() const;
  void ForgetOldest();
  Worker* WorkerOf(const WorkerLink* link);
  WorkerView View(const std::string& name, const Worker& worker) const;
  // Its state as it is shown; unspecified for one that is not known.
  tutti::v1::WorkerInfo::State ShownState(const std::string& name) const;
  // Tells those who watch what the change of a known worker was; `before` is its state before that.
  void Tell(const std::string& name, tutti::v1::WorkerInfo::State before, const std::string& reason);
  // Of a worker that is lost.
  void Erase(const std::string& name, const std::string& reason);
  absl::Status UnknownWorker(const std::string& name) const;

  Executor& executor_;
  const FleetOptions options_;
  ClockServer* const clocks_;
  std::map<std::string, Worker> workers_;
  DrainMarks drains_;  // each of a worker in workers_
  FleetEvents events_{NumberBeforeFirst(UnixNowNs())};
  std::map<const WorkerLink*, std::string> name_of_;  // of the live connections
  std::list<Contender> contenders_;                   // in order of arrival
  TimerId lease_timer_ = 0;
  int64_t stood_still_ns_ = 0;  // for how long the process last did; 0: it never did
  int64_t stood_still_until_ns_ = 0;
  int64_t lease_check_due_ns_ = 0;
};

}  // namespace tutti::fleet
