#include "coordinator/cli/interrupts.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

#include "coordinator/cli/exit_codes.h"

namespace tutti::cli {
namespace {

std::atomic<int> signals_seen{0};
std::atomic<int> wake_fd{-1};
struct sigaction previous_int;
struct sigaction previous_term;

// Async-signal-safe: two atomics, write and _exit.
extern "C" void OnSignal(int) {
  const int saved_errno = errno;
  if (signals_seen.fetch_add(1) >= 1) _exit(kCancelled);
  const int fd = wake_fd.load();
  if (fd >= 0) {
    [[maybe_unused]] const ssize_t written = write(fd, "i", 1);
  }
  errno = saved_errno;
}

void Handle(void (*handler)(int), struct sigaction* previous_of_int, struct sigaction* previous_of_term) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, previous_of_int);
  sigaction(SIGTERM, &action, previous_of_term);
}

}  // namespace

void QuitWhenInterrupted() {
  Handle([](int) { _exit(kCancelled); }, nullptr, nullptr);
}

InterruptWatch::InterruptWatch(std::function<void()> on_first) {
  signals_seen = 0;
  if (pipe2(stop_fds_, O_CLOEXEC) != 0) return;  // signals then keep their defaults and end the program
  wake_fd = stop_fds_[1];
  thread_ = std::thread([fd = stop_fds_[0], on_first = std::move(on_first)] {
    char byte = 0;
    while (read(fd, &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte == 'i') on_first();
  });
  Handle(OnSignal, &previous_int, &previous_term);
}

InterruptWatch::~InterruptWatch() {
  if (!thread_.joinable()) return;
  sigaction(SIGINT, &previous_int, nullptr);
  sigaction(SIGTERM, &previous_term, nullptr);
  wake_fd = -1;
  [[maybe_unused]] const ssize_t written = write(stop_fds_[1], "q", 1);
  thread_.join();
  close(stop_fds_[0]);
  close(stop_fds_[1]);
}

}  // namespace tutti::cli
