// The way to a thread from those that may outlive it.
#pragma once

#include <functional>
#include <utility>

#include "common/sync/thread_annotations.h"

namespace tutti::http {

// Thread-safe. Who may still want to post holds it by shared_ptr.
class PostGate {
 public:
  using Task = std::function<void()>;

  // `post` runs a task on the thread, later; it must not block.
  explicit PostGate(std::function<void(Task)> post) : post_(std::move(post)) {}

  // The task is dropped once the gate is closed.
  void Post(Task task) {
    MutexLock lock(mutex_);
    if (post_ != nullptr) post_(std::move(task));
  }

  // Nobody is within Post when this returns, and what is posted later goes nowhere.
  void Close() {
    MutexLock lock(mutex_);
    post_ = nullptr;
  }

 private:
  Mutex mutex_;
  std::function<void(Task)> post_ TUTTI_GUARDED_BY(mutex_);
};

}  // namespace tutti::http
