// SIGINT and SIGTERM: the first asks for a cancel, the second quits at once.
#pragma once

#include <functional>
#include <thread>

namespace tutti::cli {

// From now on SIGINT and SIGTERM end the process at once with ExitCode::kCancelled: for the time in which
// there is nothing to cancel yet. What the process holds in namespaces dies with it.
void QuitWhenInterrupted();

// Calls `on_first` on a thread of its own at the first signal. A second signal ends the process with
// ExitCode::kCancelled, whatever it is doing. One at a time; destroyed on any thread but its own. The
// previous handlers are put back.
class InterruptWatch {
 public:
  explicit InterruptWatch(std::function<void()> on_first);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  int stop_fds_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace tutti::cli
