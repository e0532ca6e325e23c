#include "coordinator/lab/lab.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"
#include "coordinator/lab/addressing.h"
#include "coordinator/lab/lab_message.h"
#include "coordinator/lab/lab_start.h"
#include "coordinator/lab/process_identity.h"
#include "coordinator/lab/runtime_folder.h"
#include "coordinator/lab/supervisor.h"

namespace tutti::lab {
namespace {

constexpr int64_t kStopTimeoutNs = 4 * kNsPerSecond;  // more than the supervisor's two times 1.3 s

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kNsPerSecond + now.tv_nsec;
}

void SleepNs(int64_t ns) {
  const timespec duration{ns / kNsPerSecond, ns % kNsPerSecond};
  nanosleep(&duration, nullptr);
}

absl::StatusOr<std::string> ResolveProgram(const std::string& asked, const char* name) {
  std::string path = asked;
  if (path.empty()) {
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return absl::InternalError(absl::StrCat("read /proc/self/exe: ", error.message()));
    path = self.parent_path() / name;
  }
  path = std::filesystem::absolute(path);
  if (access(path.c_str(), X_OK) != 0) return ErrnoStatus(errno, absl::StrCat("run ", name, " as ", path));
  return path;
}

absl::Status MakeLogFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  // A file of that name is no error to create_directories of some releases.
  if (!error && !std::filesystem::is_directory(path))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && access(path.c_str(), W_OK | X_OK) != 0) error = {errno, std::generic_category()};
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(ErrnoStatus(error.value(), absl::StrCat("write logs to ", path),
                                                "name a folder that can be made and written")
                                        .message());
}

absl::StatusOr<LabOptions> Resolve(LabOptions options) {
  if (options.hosts < 1 || options.hosts > kMaxHosts) {
    return absl::InvalidArgumentError(
        absl::StrCat("a lab has 1 to ", kMaxHosts, " hosts, not ", options.hosts));
  }
  TUTTI_ASSIGN_OR_RETURN(options.worker_program, ResolveProgram(options.worker_program, "tutti-worker"));
  TUTTI_ASSIGN_OR_RETURN(options.coordinator_program,
                         ResolveProgram(options.coordinator_program, "tutti-coordinator"));
  TUTTI_RETURN_IF_ERROR(CheckHostLabels(options.labels, options.hosts));
  if (!options.log_dir.empty()) {
    options.log_dir = std::filesystem::absolute(options.log_dir);
    TUTTI_RETURN_IF_ERROR(MakeLogFolder(options.log_dir));
  }
  if (options.start_timeout_ns <= 0)
    options.start_timeout_ns = 30 * kNsPerSecond + options.hosts * kNsPerSecond / 5;
  return options;
}

// What the kernel refused in a step is not the caller's error, whatever its errno.
absl::Status StepFailed(const absl::Status& status) {
  const bool like_the_callers = absl::IsInvalidArgument(status) || absl::IsAlreadyExists(status);
  return Annotate(like_the_callers ? absl::InternalError(status.message()) : status, "start the lab");
}

class RunningLab final : public Lab {
 public:
  explicit RunningLab(LabOptions options) : options_(std::move(options)) {}
  ~RunningLab() override {
    if (!detached_) static_cast<void>(Stop());
    if (channel_ >= 0) close(channel_);
  }

  // One attempt; if it is forbidden, `forbidden` is set.
  absl::Status Launch(bool loopback, const std::string& reason, const HeldRecord& record, bool* forbidden);

  std::string coordinator_address() const override {
    return absl::StrCat("unix:", Visible(SocketPath(folder_)));
  }
  std::vector<LabHost> hosts() const override { return hosts_; }
  std::string kind() const override { return kind_; }
  int supervisor_pid() const override { return supervisor_; }
  int coordinator_pid() const override { return coordinator_; }
  std::string log_dir() const override { return options_.log_dir.empty() ? Visible(log_dir_) : log_dir_; }
  std::vector<std::string> deaths() override;
  absl::Status Stop() override;
  absl::Status Detach() override;

 private:
  absl::Status AwaitStarted(int64_t deadline_ns, bool* forbidden);
  absl::Status AwaitRegistered(int64_t deadline_ns);
  // Of the next message, if one comes in time.
  absl::StatusOr<std::optional<LabMessage>> Receive(int64_t timeout_ns);
  std::string Visible(const std::string& path_in_lab) const {
    return loopback_ ? path_in_lab : absl::StrCat("/proc/", supervisor_, "/root", path_in_lab);
  }

  const LabOptions options_;
  bool loopback_ = false;
  bool detached_ = false;
  bool ended_ = true;  // no supervisor to wait for
  int channel_ = -1;
  int supervisor_ = 0;
  int coordinator_ = 0;
  std::string kind_;
  std::string folder_;
  std::string log_dir_;
  std::vector<LabHost> hosts_;
  std::vector<std::string> deaths_;
};

absl::Status RunningLab::Launch(bool loopback, const std::string& reason, const HeldRecord& record,
                                bool* forbidden) {
  std::array<int, 2> channel{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel.data()) != 0) {
    return ErrnoStatus(errno, "make a channel to the lab's supervisor");
  }
  const int64_t deadline_ns = NowNs() + options_.start_timeout_ns;
  SupervisorSpec spec;
  spec.options = options_;
  spec.loopback = loopback;
  spec.loopback_reason = reason;
  spec.channel = channel[1];
  spec.hold_fd = record.fd;
  spec.record_path = record.path;
  spec.starter = getpid();
  spec.deadline_ns = deadline_ns;
  fflush(nullptr);
  const pid_t pid = fork();
  if (pid == 0) RunSupervisor(spec);
  const int error = errno;
  close(channel[1]);
  if (channel_ >= 0) close(channel_);
  channel_ = channel[0];
  if (pid < 0) return ErrnoStatus(error, "fork the lab's supervisor");
  supervisor_ = pid;
  loopback_ = loopback;
  ended_ = false;
  absl::Status status = AwaitStarted(deadline_ns + kStopTimeoutNs, forbidden);
  if (status.ok()) status = AwaitRegistered(deadline_ns);
  if (!status.ok()) static_cast<void>(Stop());
  return status;
}

absl::StatusOr<std::optional<LabMessage>> RunningLab::Receive(int64_t timeout_ns) {
  const int64_t deadline_ns = NowNs() + timeout_ns;
  while (true) {
    auto message = ReceiveMessage(channel_, /*dont_wait=*/true);
    if (!absl::IsUnavailable(message.status())) return message;
    const int64_t left_ns = deadline_ns - NowNs();
    if (left_ns <= 0) return message;
    pollfd polled{channel_, POLLIN, 0};
    poll(&polled, 1, static_cast<int>(left_ns / kNsPerMs + 1));
  }
}

absl::Status RunningLab::AwaitStarted(int64_t deadline_ns, bool* forbidden) {
  while (true) {
    const auto received = Receive(deadline_ns - NowNs());
    if (absl::IsUnavailable(received.status())) {
      return absl::DeadlineExceededError("start the lab: its supervisor does not answer");
    }
    TUTTI_RETURN_IF_ERROR(received.status());
    if (!received->has_value()) {
      return absl::AbortedError(
          absl::StrCat("start the lab: its supervisor (pid ", supervisor_, ") was ended"));
    }
    const LabMessage& message = **received;
    switch (message.kind) {
      case LabMessage::Kind::kFailed:
      case LabMessage::Kind::kForbidden:
        *forbidden = message.kind == LabMessage::Kind::kForbidden;
        return *forbidden ? message.status : StepFailed(message.status);
      case LabMessage::Kind::kFacts:
        folder_ = message.text;
        log_dir_ = message.log_dir;
        coordinator_ = message.pid;
        break;
      case LabMessage::Kind::kHost:
        hosts_.push_back(message.host);
        break;
      case LabMessage::Kind::kDeath:
        deaths_.push_back(message.text);
        break;
      case LabMessage::Kind::kStarted:
        kind_ = message.text;
        return absl::OkStatus();
      default:
        break;
    }
  }
}

absl::Status RunningLab::AwaitRegistered(int64_t deadline_ns) {
  if (!options_.registered_workers) {
    return deaths().empty() ? absl::OkStatus() : absl::UnavailableError(absl::StrJoin(deaths_, "; "));
  }
  int64_t pause_ns = 2 * kNsPerMs;
  std::string last = "it was not asked";
  while (true) {
    const absl::StatusOr<int> count = options_.registered_workers(coordinator_address());
    if (count.ok() && *count >= options_.hosts) return absl::OkStatus();
    last = count.ok() ? absl::StrCat("it knows ", *count, " of ", options_.hosts)
                      : std::string(count.status().message());
    if (!deaths().empty()) {
      return absl::UnavailableError(absl::StrCat("start the lab: ", absl::StrJoin(deaths_, "; ")));
    }
    if (NowNs() > deadline_ns) {
      return absl::DeadlineExceededError(absl::StrCat(
          "start the lab: the workers are not registered with the coordinator in time; the last answer: ",
          last));
    }
    SleepNs(pause_ns);
    pause_ns = std::min(pause_ns * 2, 20 * kNsPerMs);
  }
}

std::vector<std::string> RunningLab::deaths() {
  while (!ended_) {
    const auto received = ReceiveMessage(channel_, /*dont_wait=*/true);
    if (absl::IsUnavailable(received.status())) break;
    if (!received.ok() || !received->has_value()) {
      if (deaths_.empty())
        deaths_.push_back(absl::StrCat("the lab's supervisor (pid ", supervisor_, ") was ended"));
      break;
    }
    if ((*received)->kind == LabMessage::Kind::kDeath) deaths_.push_back((*received)->text);
  }
  return deaths_;
}

absl::Status RunningLab::Stop() {
  if (ended_) return absl::OkStatus();
  ended_ = true;
  SendMessage(channel_, {.kind = LabMessage::Kind::kStop});
  const int64_t deadline_ns = NowNs() + kStopTimeoutNs;
  bool killed = false;
  while (true) {
    const pid_t waited = waitpid(supervisor_, nullptr, WNOHANG);
    if (waited == supervisor_ || (waited < 0 && errno == ECHILD)) break;
    if (!killed && NowNs() > deadline_ns) {
      kill(supervisor_, SIGKILL);
      killed = true;
    }
    SleepNs(kNsPerMs);
  }
  std::vector<int> pids = {coordinator_};
  for (const LabHost& host : hosts_) pids.push_back(host.pid);
  const bool gone = AwaitGone(pids, kNsPerSecond);
  // If the supervisor was killed, its folder is left to this process.
  const absl::StatusOr<std::string> runtime = RuntimeFolder();
  if (runtime.ok()) RemoveLabFolder(absl::StrCat(*runtime, "/", LabFolderName(supervisor_)));
  if (!gone)
    return absl::DeadlineExceededError("end the lab: some of its processes are still there after 1 s");
  return absl::OkStatus();
}

absl::Status RunningLab::Detach() {
  if (ended_) return absl::FailedPreconditionError("detach the lab: it has ended");
  SendMessage(channel_, {.kind = LabMessage::Kind::kDetach});
  while (true) {
    const auto received = Receive(kStopTimeoutNs);
    if (!received.ok()) return Annotate(received.status(), "detach the lab");
    if (!received->has_value()) return absl::AbortedError("detach the lab: its supervisor was ended");
    if ((*received)->kind == LabMessage::Kind::kDeath) {
      return absl::UnavailableError(absl::StrCat("detach the lab: ", (*received)->text));
    }
    if ((*received)->kind == LabMessage::Kind::kDetached) break;
  }
  detached_ = true;
  return absl::OkStatus();
}

}  // namespace

bool AwaitGone(const std::vector<int>& pids, int64_t timeout_ns) {
  const int64_t deadline_ns = NowNs() + timeout_ns;
  while (std::any_of(pids.begin(), pids.end(), [](int pid) { return IsAlive(pid); })) {
    if (NowNs() > deadline_ns) return false;
    SleepNs(2 * kNsPerMs);
  }
  return true;
}

absl::StatusOr<std::unique_ptr<Lab>> StartLab(const LabOptions& asked, const HeldRecord& record) {
  if (syscall(SYS_gettid) != getpid()) {
    return absl::FailedPreconditionError("a lab is started from the main thread: it ends with the thread");
  }
  TUTTI_ASSIGN_OR_RETURN(LabOptions options, Resolve(asked));
  RemoveStaleLabFolders();
  auto lab = std::make_unique<RunningLab>(options);
  bool forbidden = false;
  absl::Status status = lab->Launch(/*loopback=*/false, "", record, &forbidden);
  if (!status.ok() && forbidden) {
    const std::string reason(status.message());
    if (options.ipv6 || options.clock_offsets) {
      return absl::FailedPreconditionError(absl::StrCat(
          "start the lab: namespaces are not allowed here (", reason, "), and without them there is no ",
          options.ipv6 ? "IPv6 address for each host" : "clock of its own for each host"));
    }
    lab = std::make_unique<RunningLab>(options);
    status = lab->Launch(/*loopback=*/true, reason, record, &forbidden);
  }
  if (!status.ok()) return status;
  return lab;
}

absl::StatusOr<std::unique_ptr<Lab>> Lab::Start(const LabOptions& options) {
  return StartLab(options, HeldRecord());
}

}  // namespace tutti::lab
