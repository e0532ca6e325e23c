// How a trial's threads and the thread that drives them talk: go, stop, ready, finished.
//
// Thread-safe. Nothing here is touched per message except `stopping()`, one relaxed load.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "common/sync/thread_annotations.h"
#include "worker/load/file_descriptor.h"
#include "worker/load/trial_clock.h"

namespace tutti::load {

// Blocking calls of the threads return at least this often to look at `stopping()`.
inline constexpr int64_t kWakeUpNs = 50'000'000;

class TrialControl {
 public:
  // `threads`: streams and the sampler; a thread that serves several streams answers for each of them.
  explicit TrialControl(size_t threads) : ready_(threads, false), finished_(threads, false) {}

  // Opens the event that wakes polls; call it first.
  absl::Status Open();

  // Everything ends: threads that wait or move bytes return. `aborted` stays true; Finish is the ordinary
  // way.
  void Abort();
  void Finish();
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }
  bool aborted() const { return aborted_.load(std::memory_order_relaxed); }
  // Readable once the trial stops.
  int stop_fd() const { return stop_event_.get(); }

  void MarkReady(size_t thread, const absl::Status& status);
  // The first error that a thread was ready with, or ok.
  absl::Status WaitReady();

  // The buffers of so many streams are filled, or their filling was stopped.
  void MarkTouched(size_t streams = 1);
  // Blocks until `streams` were marked; false if the trial stops first or the deadline passes.
  bool WaitTouched(size_t streams, std::chrono::steady_clock::time_point deadline);

  void Arm(const TrialClock& clock);
  // Blocks until armed; nullptr if the trial stops instead.
  const TrialClock* WaitArmed();

  void MarkFinished(size_t thread);
  // Blocks until all of `threads` have finished or the deadline has passed; false then.
  bool WaitFinished(const std::vector<size_t>& threads, std::chrono::steady_clock::time_point deadline);
  bool WaitFinished(const std::vector<size_t>& threads);
  // Blocks until Finish or Abort: a thread that has finished stays, so that its CPU clock can be read.
  void WaitStop();

  // Sleeps to an absolute time of CLOCK_MONOTONIC; false if the trial stopped meanwhile.
  bool SleepUntil(int64_t monotonic_ns) const;

 private:
  void Stop(bool abort);
  bool AllFinished(const std::vector<size_t>& threads) const TUTTI_REQUIRES(mutex_);

  FileDescriptor stop_event_;  // constant after Open
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> aborted_ = false;
  Mutex mutex_;
  CondVar changed_;
  size_t touched_ TUTTI_GUARDED_BY(mutex_) = 0;
  bool armed_ TUTTI_GUARDED_BY(mutex_) = false;
  TrialClock clock_;  // constant once armed_
  absl::Status ready_status_ TUTTI_GUARDED_BY(mutex_);
  std::vector<bool> ready_ TUTTI_GUARDED_BY(mutex_);
  std::vector<bool> finished_ TUTTI_GUARDED_BY(mutex_);
};

}  // namespace tutti::load
