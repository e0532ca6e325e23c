#include "worker/load/trial_control.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "common/status/errno_status.h"

namespace tutti::load {

absl::Status TrialControl::Open() {
  stop_event_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_event_.valid()) return ErrnoStatus(errno, "eventfd for the trial's stop signal");
  return absl::OkStatus();
}

void TrialControl::Abort() { Stop(true); }
void TrialControl::Finish() { Stop(false); }

void TrialControl::Stop(bool abort) {
  const MutexLock lock(mutex_);
  if (abort) aborted_.store(true, std::memory_order_relaxed);
  stopping_.store(true, std::memory_order_relaxed);
  const uint64_t one = 1;
  // It can only fail when the event's counter is full, and then it is readable already.
  [[maybe_unused]] const ssize_t written = write(stop_event_.get(), &one, sizeof(one));
  changed_.NotifyAll();
}

void TrialControl::MarkReady(size_t thread, const absl::Status& status) {
  const MutexLock lock(mutex_);
  ready_[thread] = true;
  ready_status_.Update(status);
  changed_.NotifyAll();
}

absl::Status TrialControl::WaitReady() {
  const MutexLock lock(mutex_);
  while (!std::all_of(ready_.begin(), ready_.end(), [](bool ready) { return ready; })) changed_.Wait(mutex_);
  return ready_status_;
}

void TrialControl::MarkTouched(size_t streams) {
  const MutexLock lock(mutex_);
  touched_ += streams;
  changed_.NotifyAll();
}

bool TrialControl::WaitTouched(size_t streams, std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (touched_ < streams && !stopping()) {
    if (!changed_.WaitUntil(mutex_, deadline)) break;
  }
  return touched_ >= streams && !stopping();
}

void TrialControl::Arm(const TrialClock& clock) {
  const MutexLock lock(mutex_);
  clock_ = clock;
  armed_ = true;
  changed_.NotifyAll();
}

const TrialClock* TrialControl::WaitArmed() {
  const MutexLock lock(mutex_);
  while (!armed_ && !stopping()) changed_.Wait(mutex_);
  return stopping() ? nullptr : &clock_;
}

void TrialControl::MarkFinished(size_t thread) {
  const MutexLock lock(mutex_);
  finished_[thread] = true;
  changed_.NotifyAll();
}

bool TrialControl::AllFinished(const std::vector<size_t>& threads) const {
  return std::all_of(threads.begin(), threads.end(), [this](size_t thread) TUTTI_NO_THREAD_SAFETY_ANALYSIS {
    return static_cast<bool>(finished_[thread]);
  });
}

bool TrialControl::WaitFinished(const std::vector<size_t>& threads,
                                std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (!AllFinished(threads)) {
    if (!changed_.WaitUntil(mutex_, deadline)) return AllFinished(threads);
  }
  return true;
}

bool TrialControl::WaitFinished(const std::vector<size_t>& threads) {
  const MutexLock lock(mutex_);
  while (!AllFinished(threads)) changed_.Wait(mutex_);
  return true;
}

void TrialControl::WaitStop() {
  const MutexLock lock(mutex_);
  while (!stopping()) changed_.Wait(mutex_);
}

bool TrialControl::SleepUntil(int64_t monotonic_ns) const {
  while (!stopping()) {
    const int64_t now_ns = MonotonicNowNs();
    if (now_ns >= monotonic_ns) return true;
    const int64_t until_ns = std::min(monotonic_ns, now_ns + kWakeUpNs);
    const timespec until{until_ns / 1'000'000'000, until_ns % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
  }
  return false;
}

}  // namespace tutti::load
