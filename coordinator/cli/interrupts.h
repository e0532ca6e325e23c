// SIGINT and SIGTERM: the first asks for a cancel, the second quits at once.
#pragma once

#include <functional>
#include <thread>

namespace tutti::cli {

// Calls `on_first` on a thread of its own at the first signal. A second signal ends the process with
// ExitCode::kCancelled, whatever it is doing. One at a time; destroyed on any thread but its own. The
// previous handlers are put back.
class InterruptWatch {
 public:
  explicit InterruptWatch(std::function<void()> on_first);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static bool interrupted();

 private:
  int stop_fds_[2] = {-1, -1};
  std::thread thread_;
};

}  // namespace tutti::cli
