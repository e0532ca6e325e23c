// A thread of the trial: named, with exact timers, pinned if asked, its CPU time readable from outside.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "worker/load/cpu_pinning.h"

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
  // Before Join, from any thread: see PinThread.
  absl::Status Pin(uint32_t cpu) { return PinThread(thread_.native_handle(), cpu); }

 private:
  std::thread thread_;
  clockid_t cpu_clock_ = 0;
  bool has_cpu_clock_ = false;
};

// Raises the calling thread above the load it observes, where that is permitted.
void RaiseThisThread();

// Lets a sender's first message leave at once: from construction until End its thread goes before all
// ordinary ones (SCHED_FIFO), so that neither the receivers that the first messages wake nor the host's other
// work come in between. Ends with the first call, whatever became of it: nothing that counts runs at another
// priority than usual. Without CAP_SYS_NICE nothing changes (docs/decisions/0012-first-message-first.md). Of
// the thread that made it.
class StartPriority {
 public:
  // A message beyond kMostBytes would hold the CPU for too long, and whoever gave the worker another policy
  // meant it: then nothing changes either.
  explicit StartPriority(uint64_t message_size_bytes);
  ~StartPriority() { End(); }
  StartPriority(const StartPriority&) = delete;
  StartPriority& operator=(const StartPriority&) = delete;

  void End() {
    if (raised_) [[unlikely]]
      Lower();
  }

  static constexpr uint64_t kMostBytes = 1 << 20;

 private:
  void Lower();

  bool raised_ = false;
};

}  // namespace tutti::load
