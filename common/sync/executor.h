// One thread of decisions: everything that is posted runs in order, one at a time.
//
// Reactors of gRPC, timers and signals post here, so that the state behind needs no lock.
// Posting is thread-safe; a posted function must not block.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "common/sync/thread_annotations.h"

namespace tutti {

using TimerId = uint64_t;

class Executor {
 public:
  virtual ~Executor() = default;

  // Runs `task` after everything posted before it.
  virtual void Post(std::function<void()> task) = 0;

  // Runs `task` once `delay_ns` have passed. The id is never 0.
  virtual TimerId PostAfter(int64_t delay_ns, std::function<void()> task) = 0;

  // The task will not start after this returned, if called on the executor's own thread. Unknown and
  // finished ids are ignored.
  virtual void Cancel(TimerId id) = 0;

  // CLOCK_MONOTONIC as this executor's timers understand it, in ns.
  virtual int64_t NowNs() const = 0;
};

// An executor with a thread of its own. The destructor finishes the running task, drops the rest and joins;
// it must not be called on that thread.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(const char* thread_name);
  ~ThreadExecutor() override;

  void Post(std::function<void()> task) override;
  TimerId PostAfter(int64_t delay_ns, std::function<void()> task) override;
  void Cancel(TimerId id) override;
  int64_t NowNs() const override;

 private:
  void Loop();

  mutable Mutex mutex_;
  CondVar wake_;
  bool stopping_ TUTTI_GUARDED_BY(mutex_) = false;
  TimerId next_id_ TUTTI_GUARDED_BY(mutex_) = 1;
  // Ordered by due time, then by order of posting.
  std::map<std::pair<int64_t, TimerId>, std::function<void()>> queue_ TUTTI_GUARDED_BY(mutex_);
  std::map<TimerId, int64_t> due_of_ TUTTI_GUARDED_BY(mutex_);
  std::thread thread_;
};

// For tests: nothing runs until it is told to, time stands still until it is advanced. Not thread-safe.
class ManualExecutor final : public Executor {
 public:
  explicit ManualExecutor(int64_t now_ns = 0) : now_ns_(now_ns) {}

  void Post(std::function<void()> task) override { PostAfter(0, std::move(task)); }
  TimerId PostAfter(int64_t delay_ns, std::function<void()> task) override;
  void Cancel(TimerId id) override;
  int64_t NowNs() const override { return now_ns_; }

  // Runs what is due now, including what that posts without delay.
  void RunReady() { AdvanceBy(0); }
  // Moves time on, stopping at each timer on the way.
  void AdvanceBy(int64_t ns);
  size_t pending() const { return queue_.size(); }

 private:
  int64_t now_ns_;
  TimerId next_id_ = 1;
  std::map<std::pair<int64_t, TimerId>, std::function<void()>> queue_;
};

}  // namespace tutti
