// Clang's thread-safety annotations, and the one mutex of the project.
//
// std::mutex is wrapped instead of using absl::Mutex because libabsl is not instrumented for
// ThreadSanitizer, which then reports races that are none (docs/decisions/0002-std-mutex.md).
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define TUTTI_ATTRIBUTE(x) __attribute__((x))
#else
#define TUTTI_ATTRIBUTE(x)
#endif

#define TUTTI_CAPABILITY(x) TUTTI_ATTRIBUTE(capability(x))
#define TUTTI_SCOPED_CAPABILITY TUTTI_ATTRIBUTE(scoped_lockable)
#define TUTTI_GUARDED_BY(x) TUTTI_ATTRIBUTE(guarded_by(x))
#define TUTTI_PT_GUARDED_BY(x) TUTTI_ATTRIBUTE(pt_guarded_by(x))
#define TUTTI_REQUIRES(...) TUTTI_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TUTTI_EXCLUDES(...) TUTTI_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define TUTTI_ACQUIRE(...) TUTTI_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TUTTI_RELEASE(...) TUTTI_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TUTTI_NO_THREAD_SAFETY_ANALYSIS TUTTI_ATTRIBUTE(no_thread_safety_analysis)

namespace tutti {

class TUTTI_CAPABILITY("mutex") Mutex {
 public:
  void Lock() TUTTI_ACQUIRE() { mutex_.lock(); }
  void Unlock() TUTTI_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class TUTTI_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TUTTI_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() TUTTI_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits with the mutex held by the caller; spurious wake-ups are the caller's to check.
class CondVar {
 public:
  void Wait(Mutex& mutex) TUTTI_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // Waits until notified or until `deadline` of std::chrono::steady_clock; false after the deadline.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline) TUTTI_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool notified = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace tutti
