// A thread of the trial: named, with exact timers, pinned if asked, its CPU time readable from outside.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"

namespace tutti::load {

class LoadThread {
 public:
  LoadThread() = default;
  LoadThread(LoadThread&& other) = default;
  LoadThread& operator=(LoadThread&& other) = delete;
  ~LoadThread() { Join(); }

  // ResourceExhausted if the kernel gives no thread. `name` has at most 15 characters.
  absl::Status Start(const std::string& name, std::function<void()> body);
  void Join();

  // While the thread runs, from any thread; 0 if it cannot be read.
  uint64_t CpuNs() const;

 private:
  std::thread thread_;
  clockid_t cpu_clock_ = 0;
  bool has_cpu_clock_ = false;
};

// Raises the calling thread above the load it observes, where that is permitted.
void RaiseThisThread();

}  // namespace tutti::load
