#include "coordinator/lab/daemon_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/status/errno_status.h"
#include "coordinator/lab/lab_message.h"

namespace tutti::lab {
namespace {

constexpr int kStepFailedStatus = 120;

[[noreturn]] void Fail(int channel, const absl::Status& status) {
  SendMessage(channel, {.kind = LabMessage::Kind::kFailed, .status = status});
  _exit(kStepFailedStatus);
}

void AwaitAdvance(int channel) {
  char byte = 0;
  ssize_t received = 0;
  do {
    received = recv(channel, &byte, 1, 0);
  } while (received < 0 && errno == EINTR);
  if (received != 1) _exit(kStepFailedStatus);  // the supervisor has gone
}

void DieWithParent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kStepFailedStatus);
}

void ResetSignals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGQUIT, SIGUSR1, SIGUSR2})
    signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

absl::Status RedirectToLog(const std::string& path) {
  const int log = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) return ErrnoStatus(errno, absl::StrCat("open the log ", path));
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  close(log);
  return absl::OkStatus();
}

[[noreturn]] void RunDaemon(const DaemonSpec& spec, int channel, pid_t parent) {
  DieWithParent(parent);
  ResetSignals();
  for (const auto& step : spec.steps) {
    if (const absl::Status status = step(); !status.ok()) Fail(channel, status);
    // A change of credentials or namespaces may have cleared it.
    DieWithParent(parent);
    SendMessage(channel, {.kind = LabMessage::Kind::kStarted});
    AwaitAdvance(channel);
  }
  if (const absl::Status status = RedirectToLog(spec.log_path); !status.ok()) Fail(channel, status);
  unsetenv("NOTIFY_SOCKET");
  std::vector<char*> arguments;
  for (const std::string& argument : spec.command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  Fail(channel, ErrnoStatus(errno, absl::StrCat("run ", spec.command[0])));
}

std::string LogEnd(const std::string& path) {
  constexpr std::streamoff kMaxBytes = 600;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(size > kMaxBytes ? size - kMaxBytes : 0);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return absl::StrReplaceAll(text, {{"\n", " | "}});
}

}  // namespace

absl::StatusOr<Daemon> ForkDaemon(const DaemonSpec& spec) {
  std::array<int, 2> channel{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return ErrnoStatus(errno, absl::StrCat("make a channel to ", spec.name));
  }
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(channel[0]);
    RunDaemon(spec, channel[1], parent);
  }
  const int error = errno;
  close(channel[1]);
  if (pid < 0) {
    close(channel[0]);
    return ErrnoStatus(error, absl::StrCat("fork for ", spec.name));
  }
  Daemon daemon;
  daemon.name = spec.name;
  daemon.program = std::filesystem::path(spec.command[0]).filename().string();
  daemon.log_path = spec.log_path;
  daemon.pid = pid;
  daemon.channel = channel[0];
  daemon.alive = true;
  return daemon;
}

void Advance(Daemon& daemon) {
  daemon.passed = false;
  send(daemon.channel, "g", 1, MSG_NOSIGNAL);
}

absl::Status ReadProgress(Daemon& daemon) {
  if (daemon.channel < 0 || daemon.passed) return absl::OkStatus();
  const auto message = ReceiveMessage(daemon.channel, /*dont_wait=*/true);
  if (absl::IsUnavailable(message.status())) return absl::OkStatus();
  if (!message.ok()) return Annotate(message.status(), daemon.name);
  if (!message->has_value()) {  // closed on exec, or with the process
    close(daemon.channel);
    daemon.channel = -1;
    daemon.passed = true;
    return absl::OkStatus();
  }
  if ((*message)->kind == LabMessage::Kind::kFailed) return Annotate((*message)->status, daemon.name);
  daemon.passed = true;
  return absl::OkStatus();
}

std::string DescribeEnd(const Daemon& daemon) {
  const std::string log_end = LogEnd(daemon.log_path);
  return absl::StrCat(daemon.name, ": ", daemon.program, " (pid ", daemon.pid, ") ", daemon.end,
                      log_end.empty() ? "" : "; its log ends: ", log_end);
}

std::string DescribeWaitStatus(int wait_status) {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    return absl::StrCat("was ended by signal ", number, " (", strsignal(number), ")");
  }
  return absl::StrCat("ended with status ", WEXITSTATUS(wait_status));
}

}  // namespace tutti::lab
