// Exec of lab_registry.h: a command inside a host of a lab.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/status/printable.h"
#include "common/time/clock.h"
#include "coordinator/lab/lab_message.h"
#include "coordinator/lab/lab_registry.h"
#include "coordinator/lab/process_identity.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace tutti::lab {
namespace {

// Of the command's process, where it could not become the command: as shells have it (POSIX, 2.8.2).
constexpr int kNotFoundStatus = 127;
constexpr int kNotExecutableStatus = 126;
constexpr int kFailedStatus = 120;  // it did not come as far
// The same signal from the same sender again within this: it went to the process and to its group
// (timeout(1)).
constexpr int64_t kSameSignalNs = 50'000'000;

absl::StatusOr<int> PidOfHost(const LabRecord& lab, const std::string& host) {
  if (host == "coordinator") return lab.coordinator_pid;
  std::vector<std::string> names;
  for (const LabHost& candidate : lab.hosts) {
    if (candidate.name == host) return candidate.pid;
    names.push_back(candidate.name);
  }
  return absl::NotFoundError(absl::StrCat("lab ", lab.name, " has no host '", Printable(host), "'; it has ",
                                          absl::StrJoin(names, ", "), " and coordinator"));
}

bool SameNamespace(int pid, const char* kind) {
  struct stat own {};
  struct stat other {};
  return stat(absl::StrCat("/proc/self/ns/", kind).c_str(), &own) == 0 &&
         stat(absl::StrCat("/proc/", pid, "/ns/", kind).c_str(), &other) == 0 && own.st_ino == other.st_ino;
}

// Enters the namespaces of `pid` that differ from the caller's.
absl::Status EnterNamespacesOf(int pid, int pidfd) {
  int flags = 0;
  if (!SameNamespace(pid, "user")) flags |= CLONE_NEWUSER;  // one's own is refused
  if (!SameNamespace(pid, "mnt")) flags |= CLONE_NEWNS;
  if (!SameNamespace(pid, "net")) flags |= CLONE_NEWNET;
  if (!SameNamespace(pid, "time")) flags |= CLONE_NEWTIME;
  if (flags == 0) return absl::OkStatus();  // a lab of loopback addresses
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (setns(pidfd, flags) != 0)
    return ErrnoStatus(errno, absl::StrCat("enter the namespaces of process ", pid));
  // Entering mounts leads to their root folder.
  if (!error && chdir(folder.c_str()) != 0) static_cast<void>(chdir("/"));
  return absl::OkStatus();
}

// True if Ctrl-C in a terminal is for this process.
bool IsInForeground() {
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (terminal < 0) return false;
  const bool foreground = tcgetpgrp(terminal) == getpgrp();
  close(terminal);
  return foreground;
}

// Signals to this process while a command runs are the command's. One at a time, in a process of one thread;
// made before the fork, so that none is lost in between.
//
// In the foreground of a terminal the command stays in this process's group, to read the terminal and to get
// its signals. Elsewhere it has a group of its own: what is sent to this group would reach it twice.
class SignalRelay {
 public:
  SignalRelay() : own_group_(!IsInForeground()) {
    sigemptyset(&relayed_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      // What this process was told to ignore (nohup), the command ignores too.
      if (action.sa_handler != SIG_IGN) sigaddset(&relayed_, number);
    }
    sigprocmask(SIG_BLOCK, &relayed_, &before_);
    fd_ = signalfd(-1, &relayed_, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalRelay() {
    Relay(0);  // what came too late for the command must not end this process instead
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    if (fd_ >= 0) close(fd_);
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

  int fd() const { return fd_; }  // readable when there is something to relay; negative: it could not be made

  // In the command's process.
  void Leave() const {
    if (own_group_) setpgid(0, 0);
    for (int number = 1; number < NSIG; ++number) {
      if (sigismember(&relayed_, number) == 1) signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  // To `command`; 0: to nobody.
  void Relay(pid_t command) {
    signalfd_siginfo info{};
    while (fd_ >= 0 && read(fd_, &info, sizeof(info)) == sizeof(info)) {
      // In the same group the terminal has sent its own (Ctrl-C) to the command too.
      if (command <= 0 || (info.ssi_code == SI_KERNEL && !own_group_)) continue;
      if (!CameAlready(info)) kill(command, static_cast<int>(info.ssi_signo));
    }
  }

 private:
  bool CameAlready(const signalfd_siginfo& info) {
    const HostTime now = SystemClock::Get().Now();
    const bool again =
        info.ssi_signo == last_signal_ && info.ssi_pid == last_sender_ && now - last_ < kSameSignalNs;
    last_signal_ = info.ssi_signo;
    last_sender_ = info.ssi_pid;
    last_ = now;
    return again && own_group_;
  }

  const bool own_group_;
  uint32_t last_signal_ = 0;
  uint32_t last_sender_ = 0;
  HostTime last_;
  sigset_t relayed_;
  sigset_t before_;
  int fd_ = -1;
};

[[noreturn]] void RunCommand(int host_pid, int pidfd, int channel, pid_t parent, const SignalRelay& relay,
                             const std::vector<std::string>& command) {
  const auto fail = [channel](const absl::Status& status, int exit_status = kFailedStatus) {
    SendMessage(channel, {.kind = LabMessage::Kind::kFailed, .status = status});
    _exit(exit_status);
  };
  if (const absl::Status status = EnterNamespacesOf(host_pid, pidfd); !status.ok()) fail(status);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of credentials, which clears it
  if (getppid() != parent) _exit(kFailedStatus);
  relay.Leave();
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  fail(ErrnoStatus(error, absl::StrCat("run ", command[0])),
       error == ENOENT ? kNotFoundStatus : kNotExecutableStatus);
  _exit(kFailedStatus);
}

// Waits for the command's end; kills it when the lab's supervisor ends.
int AwaitCommand(pid_t command, int supervisor_fd, SignalRelay& relay) {
  const int command_fd = static_cast<int>(syscall(SYS_pidfd_open, command, 0));
  std::array<pollfd, 3> polled = {pollfd{command_fd, POLLIN, 0}, pollfd{supervisor_fd, POLLIN, 0},
                                  pollfd{relay.fd(), POLLIN, 0}};
  int wait_status = 0;
  while (waitpid(command, &wait_status, WNOHANG) != command) {
    for (pollfd& each : polled) each.revents = 0;
    poll(polled.data(), polled.size(), command_fd < 0 ? 20 : -1);
    relay.Relay(command);
    if (polled[1].revents != 0) {
      kill(command, SIGKILL);
      polled[1].fd = -1;
    }
  }
  if (command_fd >= 0) close(command_fd);
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

absl::StatusOr<int> OpenProcess(int pid, const std::string& what) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("reach ", what, " (pid ", pid, ")"));
  return fd;
}

absl::StatusOr<ExecEnd> ForkAndAwait(int host_pid, int host_fd, int supervisor_fd,
                                     const std::vector<std::string>& command) {
  std::array<int, 2> channel{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return ErrnoStatus(errno, "make a channel to the command");
  }
  SignalRelay relay;
  if (relay.fd() < 0) {
    const int error = errno;
    for (const int fd : channel) close(fd);
    return ErrnoStatus(error, "make a signalfd for the command");
  }
  fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) RunCommand(host_pid, host_fd, channel[1], parent, relay, command);
  const int error = errno;
  close(channel[1]);
  if (pid < 0) {
    close(channel[0]);
    return ErrnoStatus(error, "fork for the command");
  }
  const auto failure = ReceiveMessage(channel[0], /*dont_wait=*/false);
  close(channel[0]);
  const int exit_status = AwaitCommand(pid, supervisor_fd, relay);
  ExecEnd end{.exit_status = exit_status, .started = absl::OkStatus()};
  if (!failure.ok() || !failure->has_value()) return end;
  end.started = (*failure)->status;
  if (exit_status != kNotFoundStatus && exit_status != kNotExecutableStatus) return end.started;
  return end;
}

}  // namespace

absl::StatusOr<ExecEnd> Exec(const LabRecord& lab, const std::string& host,
                             const std::vector<std::string>& command) {
  if (command.empty()) return absl::InvalidArgumentError("no command to run in the lab");
  TUTTI_ASSIGN_OR_RETURN(const int host_pid, PidOfHost(lab, host));
  TUTTI_ASSIGN_OR_RETURN(const int supervisor_fd, OpenProcess(lab.supervisor_pid, "the lab's supervisor"));
  absl::StatusOr<ExecEnd> result = absl::UnavailableError(absl::StrCat("lab ", lab.name, " has ended"));
  if (IsAlive(lab.supervisor_pid, lab.supervisor_start_ticks)) {
    const absl::StatusOr<int> host_fd = OpenProcess(host_pid, host);
    result = host_fd.ok() ? ForkAndAwait(host_pid, *host_fd, supervisor_fd, command)
                          : absl::StatusOr<ExecEnd>(host_fd.status());
    if (host_fd.ok()) close(*host_fd);
  }
  close(supervisor_fd);
  return result;
}

}  // namespace tutti::lab
