#include "worker/load/load_thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::load {

absl::Status LoadThread::Start(const std::string& name, std::function<void()> body) {
  try {
    thread_ = std::thread([name, body = std::move(body)] {
      pthread_setname_np(pthread_self(), name.c_str());
      // The default slack of 50 us would be in every paced gap and in the start (prctl(2),
      // PR_SET_TIMERSLACK).
      prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
      // sendfile(2) has no MSG_NOSIGNAL.
      sigset_t broken_pipe;
      sigemptyset(&broken_pipe);
      sigaddset(&broken_pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
      body();
    });
  } catch (const std::system_error& error) {
    return ErrnoStatus(error.code().value(), absl::StrCat("start thread ", name),
                       "raise TasksMax= of the unit or ulimit -u, or use fewer streams");
  }
  has_cpu_clock_ = pthread_getcpuclockid(thread_.native_handle(), &cpu_clock_) == 0;
  return absl::OkStatus();
}

void LoadThread::Join() {
  if (thread_.joinable()) thread_.join();
}

uint64_t LoadThread::CpuNs() const {
  timespec used{};
  if (!has_cpu_clock_ || clock_gettime(cpu_clock_, &used) != 0) return 0;
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

void RaiseThisThread() {
  const sched_param lowest{.sched_priority = 1};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0) return;
  // Refused too without CAP_SYS_NICE: then the sampler's lateness tells. Nice belongs to the thread on Linux.
  setpriority(PRIO_PROCESS, 0, -20);
}

StartPriority::StartPriority(uint64_t message_size_bytes) {
  if (message_size_bytes > kMostBytes) return;
  int policy = SCHED_OTHER;
  sched_param present{};
  if (pthread_getschedparam(pthread_self(), &policy, &present) != 0 || policy != SCHED_OTHER) return;
  const sched_param lowest{.sched_priority = 1};
  raised_ = pthread_setschedparam(pthread_self(), SCHED_FIFO, &lowest) == 0;
}

void StartPriority::Lower() {
  const sched_param ordinary{.sched_priority = 0};
  pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary);
  raised_ = false;
}

}  // namespace tutti::load
