#include "common/sync/executor.h"

#include <pthread.h>
#include <time.h>

#include <algorithm>
#include <utility>

namespace tutti {
namespace {

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

}  // namespace

ThreadExecutor::ThreadExecutor(const char* thread_name) : thread_([this] { Loop(); }) {
  pthread_setname_np(thread_.native_handle(), thread_name);
}

ThreadExecutor::~ThreadExecutor() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  wake_.NotifyAll();
  thread_.join();
}

void ThreadExecutor::Post(std::function<void()> task) { PostAfter(0, std::move(task)); }

TimerId ThreadExecutor::PostAfter(int64_t delay_ns, std::function<void()> task) {
  TimerId id;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    // Tasks without delay keep their order of posting: they are all due at 0.
    const int64_t due_ns = delay_ns <= 0 ? 0 : MonotonicNs() + delay_ns;
    queue_.emplace(std::make_pair(due_ns, id), std::move(task));
    due_of_.emplace(id, due_ns);
  }
  wake_.NotifyOne();
  return id;
}

void ThreadExecutor::Cancel(TimerId id) {
  std::function<void()> dropped;  // destroyed outside the lock
  MutexLock lock(mutex_);
  const auto due = due_of_.find(id);
  if (due == due_of_.end()) return;
  const auto entry = queue_.find({due->second, id});
  dropped = std::move(entry->second);
  queue_.erase(entry);
  due_of_.erase(due);
}

int64_t ThreadExecutor::NowNs() const { return MonotonicNs(); }

void ThreadExecutor::Loop() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      while (true) {
        if (stopping_) return;
        if (queue_.empty()) {
          wake_.Wait(mutex_);
          continue;
        }
        const auto first = queue_.begin();
        const int64_t wait_ns = first->first.first - MonotonicNs();
        if (wait_ns > 0) {
          wake_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::nanoseconds(wait_ns));
          continue;
        }
        task = std::move(first->second);
        due_of_.erase(first->first.second);
        queue_.erase(first);
        break;
      }
    }
    task();
  }
}

TimerId ManualExecutor::PostAfter(int64_t delay_ns, std::function<void()> task) {
  const TimerId id = next_id_++;
  queue_.emplace(std::make_pair(now_ns_ + (delay_ns > 0 ? delay_ns : 0), id), std::move(task));
  return id;
}

void ManualExecutor::Cancel(TimerId id) {
  for (auto entry = queue_.begin(); entry != queue_.end(); ++entry) {
    if (entry->first.second != id) continue;
    queue_.erase(entry);
    return;
  }
}

void ManualExecutor::AdvanceBy(int64_t ns) {
  const int64_t end_ns = now_ns_ + ns;
  while (!queue_.empty() && queue_.begin()->first.first <= end_ns) {
    const auto first = queue_.begin();
    now_ns_ = std::max(now_ns_, first->first.first);
    const std::function<void()> task = std::move(first->second);
    queue_.erase(first);
    task();
  }
  now_ns_ = end_ns;
}

}  // namespace tutti
