#include "coordinator/lab/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"
#include "coordinator/lab/addressing.h"
#include "coordinator/lab/daemon_process.h"
#include "coordinator/lab/lab_message.h"
#include "coordinator/lab/namespaces.h"
#include "coordinator/lab/route_socket.h"
#include "coordinator/lab/runtime_folder.h"

namespace tutti::lab {
namespace {

constexpr int64_t kTermGraceNs = 300 * kNsPerMs;  // from SIGTERM to SIGKILL
constexpr int64_t kKillGraceNs = 1000 * kNsPerMs;
constexpr char kBridge[] = "br0";
constexpr char kHostLink[] = "eth0";
constexpr uint16_t kBridgeMacTail = 0xfffe;

int64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

// All state is of the process's one thread.
class Supervisor {
 public:
  explicit Supervisor(const SupervisorSpec& spec) : spec_(spec), options_(spec.options) {}

  // Everything up to and with the word that the lab has started.
  absl::Status Start();
  void Watch();
  void TakeDown();
  void Report(const absl::Status& failure);

 private:
  absl::Status BecomeSupervisor();
  absl::Status MakeFolder();
  absl::Status MakeBridge();
  absl::Status StartCoordinator();
  absl::Status ForkWorkers();
  DaemonSpec WorkerSpec(int index) const;
  absl::Status MakeLinks();
  absl::Status AwaitSteps(const std::string& what);
  absl::Status AwaitCoordinator();
  void AdvanceWorkers();
  void TellStarted();

  // Waits for a signal, a message of the starter or a readable `more`; handles the first two.
  absl::Status Wait(const std::vector<int>& more, int64_t timeout_ns);
  void HandleSignals();
  void HandleStarter();
  void Reap();
  void EndDaemons(bool workers);
  bool AnyAlive(bool workers) const;

  const SupervisorSpec& spec_;
  const LabOptions& options_;
  int signals_ = -1;
  bool starter_gone_ = false;
  bool asked_to_stop_ = false;
  bool detached_ = false;
  bool running_ = false;       // started: deaths are told, not errors of a step
  std::string lab_ends_with_;  // the daemon whose end ends the lab
  bool mounted_ = false;
  std::string kind_;
  std::string folder_;
  std::string log_dir_;
  // Holds the network namespace of a process of the lab open until that process has ended: the kernel gives
  // the inode of a namespace that is gone to the next one, a stranger's.
  void HoldNetworkOf(pid_t pid);
  // Kills what `lab exec` left in it and lets it go.
  void EndNetworkOf(pid_t pid);

  std::map<pid_t, int> network_fds_;  // by process
  std::unique_ptr<RouteSocket> routes_;
  Daemon coordinator_;
  std::vector<Daemon> workers_;  // in the order of hosts
  std::vector<LabHost> hosts_;
};

absl::Status Supervisor::BecomeSupervisor() {
  sigset_t handled;
  sigemptyset(&handled);
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&handled, number);
  sigprocmask(SIG_SETMASK, &handled, nullptr);
  // A starter that is killed becomes an orderly end here; what this process starts gets SIGKILL if it goes
  // itself.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != spec_.starter) return absl::CancelledError("the command that started the lab has ended");
  prctl(PR_SET_NAME, "tutti-lab");
  setsid();  // Ctrl-C in the starter's terminal is the starter's to handle
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD}) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  const int null = open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  const int low = std::min(spec_.channel, spec_.hold_fd < 0 ? spec_.channel : spec_.hold_fd);
  const int high = std::max(spec_.channel, spec_.hold_fd);
  if (low > 3) close_range(3, low - 1, 0);
  if (high > low + 1) close_range(low + 1, high - 1, 0);
  close_range(high + 1, ~0U, 0);
  signals_ = signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  return signals_ < 0 ? ErrnoStatus(errno, "make a signalfd") : absl::OkStatus();
}

absl::Status Supervisor::MakeFolder() {
  TUTTI_ASSIGN_OR_RETURN(folder_, MakeLabFolder(LabFolderName(getpid())));
  if (spec_.loopback) {
    kind_ = absl::StrCat("loopback addresses, because ", spec_.loopback_reason);
  } else {
    TUTTI_ASSIGN_OR_RETURN(kind_, EnterLabNamespaces());
    // The change of credentials may have cleared it.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_DUMPABLE, 1);  // so that the starter may go through /proc/PID/root
    if (getppid() != spec_.starter) return absl::CancelledError("the command that started the lab has ended");
    TUTTI_RETURN_IF_ERROR(MountTmpfs(folder_));
    mounted_ = true;
    HoldNetworkOf(getpid());
  }
  log_dir_ = options_.log_dir.empty() ? absl::StrCat(folder_, "/logs") : options_.log_dir;
  if (options_.log_dir.empty() && mkdir(log_dir_.c_str(), 0700) != 0) {
    return ErrnoStatus(errno, absl::StrCat("make the folder of logs ", log_dir_));
  }
  return absl::OkStatus();
}

absl::Status Supervisor::MakeBridge() {
  if (spec_.loopback) return absl::OkStatus();
  ShortenOrphans();
  TUTTI_ASSIGN_OR_RETURN(routes_, RouteSocket::Open());
  TUTTI_RETURN_IF_ERROR(routes_->SetUp("lo"));
  TUTTI_RETURN_IF_ERROR(routes_->AddBridge(kBridge, kBridgeMacTail));
  TUTTI_RETURN_IF_ERROR(routes_->AddAddress(kBridge, BridgeIpv4(), kIpv4PrefixBits));
  TUTTI_RETURN_IF_ERROR(routes_->SetUp(kBridge));
  if (!options_.ipv6) return absl::OkStatus();
  return routes_->AddAddress(kBridge, BridgeIpv6(), kIpv6PrefixBits);
}

absl::Status Supervisor::StartCoordinator() {
  DaemonSpec spec;
  spec.name = "coordinator";
  // A lab is the same for everyone: what the machine's and the user's configuration say is for real hosts.
  spec.command = {options_.coordinator_program, "--no-config"};
  if (!spec_.loopback) {
    spec.command.insert(spec.command.end(), {"--listen", absl::StrCat(BridgeIpv4(), ":", kCoordinatorPort)});
  }
  // Last: once it answers here it listens for the workers too.
  spec.command.insert(spec.command.end(), {"--listen", absl::StrCat("unix:", SocketPath(folder_))});
  spec.command.push_back("--lab");
  spec.command.insert(spec.command.end(), options_.coordinator_args.begin(), options_.coordinator_args.end());
  spec.log_path = absl::StrCat(log_dir_, "/coordinator.log");
  TUTTI_ASSIGN_OR_RETURN(coordinator_, ForkDaemon(spec));
  return absl::OkStatus();
}

DaemonSpec Supervisor::WorkerSpec(int index) const {
  DaemonSpec spec;
  spec.name = HostName(index);
  const std::string coordinator = spec_.loopback ? absl::StrCat("unix:", SocketPath(folder_))
                                                 : absl::StrCat(BridgeIpv4(), ":", kCoordinatorPort);
  spec.command = {options_.worker_program, "--no-config", "--coordinator", coordinator, "--name", spec.name};
  if (spec_.loopback) {
    spec.command.insert(spec.command.end(), {"--address", HostLoopbackIpv4(index)});
  } else {
    spec.command.push_back("--insecure");  // the bridge is reached by the lab's processes only
  }
  for (const auto& [key, value] : LabelsOf(options_.labels, spec.name)) {
    spec.command.insert(spec.command.end(), {"--label", absl::StrCat(key, "=", value)});
  }
  spec.command.insert(spec.command.end(), options_.worker_args.begin(), options_.worker_args.end());
  spec.log_path = absl::StrCat(log_dir_, "/", spec.name, ".log");
  if (spec_.loopback) {
    spec.steps = {[] { return absl::OkStatus(); }, [] { return absl::OkStatus(); }};
    return spec;
  }
  const bool shifted = options_.clock_offsets;
  const bool ipv6 = options_.ipv6;
  spec.steps.push_back([shifted, index]() -> absl::Status {
    TUTTI_RETURN_IF_ERROR(EnterHostNetwork());
    ShortenOrphans();
    return shifted ? EnterShiftedTime(ClockOffsetNs(index)) : absl::OkStatus();
  });
  spec.steps.push_back([ipv6, index]() -> absl::Status {
    TUTTI_ASSIGN_OR_RETURN(auto routes, RouteSocket::Open());
    TUTTI_RETURN_IF_ERROR(routes->SetUp("lo"));
    TUTTI_RETURN_IF_ERROR(routes->AddAddress(kHostLink, HostIpv4(index), kIpv4PrefixBits));
    TUTTI_RETURN_IF_ERROR(routes->SetUp(kHostLink));
    return ipv6 ? routes->AddAddress(kHostLink, HostIpv6(index), kIpv6PrefixBits) : absl::OkStatus();
  });
  return spec;
}

absl::Status Supervisor::ForkWorkers() {
  workers_.reserve(options_.hosts);
  for (int index = 1; index <= options_.hosts; ++index) {
    TUTTI_ASSIGN_OR_RETURN(Daemon worker, ForkDaemon(WorkerSpec(index)));
    workers_.push_back(std::move(worker));
    LabHost host;
    host.name = HostName(index);
    host.address = spec_.loopback ? HostLoopbackIpv4(index) : HostIpv4(index);
    if (options_.ipv6) host.address6 = HostIpv6(index);
    host.pid = workers_.back().pid;
    host.clock_offset_ns = options_.clock_offsets ? ClockOffsetNs(index) : 0;
    hosts_.push_back(std::move(host));
  }
  return absl::OkStatus();
}

absl::Status Supervisor::MakeLinks() {
  if (spec_.loopback) return absl::OkStatus();
  for (int index = 1; index <= options_.hosts; ++index) {
    const std::string name = HostName(index);
    HoldNetworkOf(workers_[index - 1].pid);
    TUTTI_RETURN_IF_ERROR(
        routes_->AddVeth(name, kBridge, kHostLink, workers_[index - 1].pid, static_cast<uint16_t>(index)));
    TUTTI_RETURN_IF_ERROR(routes_->SetUp(name));
  }
  return absl::OkStatus();
}

absl::Status Supervisor::AwaitSteps(const std::string& what) {
  while (true) {
    std::vector<int> pending;
    for (Daemon& worker : workers_) {
      TUTTI_RETURN_IF_ERROR(Annotate(ReadProgress(worker), what));
      if (!worker.passed) pending.push_back(worker.channel);
    }
    if (pending.empty()) return absl::OkStatus();
    const absl::Status waited = Wait(pending, spec_.deadline_ns - NowNs());
    // The coordinator starts meanwhile; its end is no failure of this step.
    if (!waited.ok()) return coordinator_.alive ? Annotate(waited, what) : waited;
    if (NowNs() > spec_.deadline_ns) {
      return absl::DeadlineExceededError(
          absl::StrCat(what, ": ", pending.size(), " of ", workers_.size(), " hosts are not ready in time"));
    }
  }
}

absl::Status Supervisor::AwaitCoordinator() {
  const std::string path = SocketPath(folder_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  while (true) {
    TUTTI_RETURN_IF_ERROR(ReadProgress(coordinator_));
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool listens = fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    if (fd >= 0) close(fd);
    if (listens) return absl::OkStatus();
    if (NowNs() > spec_.deadline_ns) {
      coordinator_.end = absl::StrCat("does not listen on ", path, " in time");
      return absl::DeadlineExceededError(DescribeEnd(coordinator_));
    }
    TUTTI_RETURN_IF_ERROR(Wait({}, kNsPerMs));
  }
}

void Supervisor::AdvanceWorkers() {
  for (Daemon& worker : workers_) Advance(worker);
}

absl::Status Supervisor::Start() {
  TUTTI_RETURN_IF_ERROR(BecomeSupervisor());
  TUTTI_RETURN_IF_ERROR(MakeFolder());
  TUTTI_RETURN_IF_ERROR(Annotate(MakeBridge(), "make the bridge"));
  TUTTI_RETURN_IF_ERROR(Annotate(StartCoordinator(), "start the coordinator"));
  TUTTI_RETURN_IF_ERROR(Annotate(ForkWorkers(), "start the workers"));
  TUTTI_RETURN_IF_ERROR(AwaitSteps("make the hosts' namespaces"));
  TUTTI_RETURN_IF_ERROR(Annotate(MakeLinks(), "make the hosts' links"));
  AdvanceWorkers();
  TUTTI_RETURN_IF_ERROR(AwaitSteps("configure the hosts' links"));
  TUTTI_RETURN_IF_ERROR(AwaitCoordinator());
  AdvanceWorkers();
  TUTTI_RETURN_IF_ERROR(AwaitSteps("start the workers"));
  TellStarted();
  return absl::OkStatus();
}

void Supervisor::TellStarted() {
  running_ = true;
  LabMessage facts{.kind = LabMessage::Kind::kFacts};
  facts.text = folder_;
  facts.log_dir = log_dir_;
  facts.pid = coordinator_.pid;
  SendMessage(spec_.channel, facts);
  for (const LabHost& host : hosts_)
    SendMessage(spec_.channel, {.kind = LabMessage::Kind::kHost, .host = host});
  SendMessage(spec_.channel, {.kind = LabMessage::Kind::kStarted, .text = kind_});
}

void Supervisor::Report(const absl::Status& failure) {
  const auto kind = IsForbidden(failure) ? LabMessage::Kind::kForbidden : LabMessage::Kind::kFailed;
  SendMessage(spec_.channel, {.kind = kind, .status = failure});
}

absl::Status Supervisor::Wait(const std::vector<int>& more, int64_t timeout_ns) {
  std::vector<pollfd> polled = {{signals_, POLLIN, 0}, {starter_gone_ ? -1 : spec_.channel, POLLIN, 0}};
  for (const int fd : more) polled.push_back({fd, POLLIN, 0});
  const int64_t timeout_ms = timeout_ns < 0 ? 0 : (timeout_ns + kNsPerMs - 1) / kNsPerMs;
  poll(polled.data(), polled.size(), static_cast<int>(std::min<int64_t>(timeout_ms, 60'000)));
  if (polled[0].revents != 0) HandleSignals();
  if (polled[1].revents != 0) HandleStarter();
  if (asked_to_stop_) return absl::CancelledError("the lab was told to end");
  if (!running_ && !lab_ends_with_.empty()) return absl::UnavailableError(lab_ends_with_);
  return absl::OkStatus();
}

void Supervisor::HandleSignals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof(info)) == sizeof(info)) {
    if (info.ssi_signo != SIGCHLD) asked_to_stop_ = true;
  }
  Reap();
}

void Supervisor::HandleStarter() {
  const auto message = ReceiveMessage(spec_.channel, /*dont_wait=*/true);
  if (absl::IsUnavailable(message.status())) return;
  if (!message.ok() || !message->has_value()) {
    starter_gone_ = true;
    if (!detached_) asked_to_stop_ = true;
  } else if ((*message)->kind == LabMessage::Kind::kStop) {
    asked_to_stop_ = true;
  } else if ((*message)->kind == LabMessage::Kind::kDetach) {
    detached_ = true;
    prctl(PR_SET_PDEATHSIG, 0);
    SendMessage(spec_.channel, {.kind = LabMessage::Kind::kDetached});
  }
}

void Supervisor::Reap() {
  int wait_status = 0;
  pid_t pid = 0;
  while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
    const auto worker =
        std::find_if(workers_.begin(), workers_.end(), [&](const Daemon& d) { return d.pid == pid; });
    if (worker == workers_.end() && pid != coordinator_.pid) continue;
    Daemon& daemon = worker == workers_.end() ? coordinator_ : *worker;
    daemon.alive = false;
    daemon.end = DescribeWaitStatus(wait_status);
    EndNetworkOf(pid);
    // A step that failed has said why.
    const absl::Status reason = ReadProgress(daemon);
    const std::string text = reason.ok() ? DescribeEnd(daemon) : std::string(reason.message());
    if (asked_to_stop_) continue;
    if (running_) SendMessage(spec_.channel, {.kind = LabMessage::Kind::kDeath, .text = text});
    if (!running_ || &daemon == &coordinator_ || options_.end_with_worker) {
      if (lab_ends_with_.empty()) lab_ends_with_ = text;
    }
  }
}

void Supervisor::Watch() {
  while (lab_ends_with_.empty() && Wait({}, 60'000 * kNsPerMs).ok()) {
  }
}

bool Supervisor::AnyAlive(bool workers) const {
  if (!workers) return coordinator_.alive;
  return std::any_of(workers_.begin(), workers_.end(), [](const Daemon& d) { return d.alive; });
}

void Supervisor::HoldNetworkOf(pid_t pid) {
  const int fd = open(absl::StrCat("/proc/", pid, "/ns/net").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) network_fds_[pid] = fd;
}

void Supervisor::EndNetworkOf(pid_t pid) {
  const auto held = network_fds_.find(pid);
  if (held == network_fds_.end()) return;
  struct stat info {};
  if (fstat(held->second, &info) == 0) KillMembers({info.st_ino});
  close(held->second);
  network_fds_.erase(held);
}

void Supervisor::EndDaemons(bool workers) {
  const auto signal_all = [&](int number) {
    if (!workers && coordinator_.alive) kill(coordinator_.pid, number);
    for (const Daemon& worker : workers_) {
      if (workers && worker.alive) kill(worker.pid, number);
    }
  };
  const auto await_all = [&](int64_t grace_ns) {
    const int64_t deadline_ns = NowNs() + grace_ns;
    while (AnyAlive(workers) && NowNs() < deadline_ns) {
      pollfd polled{signals_, POLLIN, 0};
      poll(&polled, 1, 10);
      HandleSignals();
    }
  };
  signal_all(SIGTERM);
  signal_all(SIGCONT);  // one that was stopped would not see it
  await_all(kTermGraceNs);
  signal_all(SIGKILL);
  await_all(kKillGraceNs);
}

void Supervisor::TakeDown() {
  asked_to_stop_ = true;
  // Workers first: their sessions close while the coordinator can still answer.
  EndDaemons(/*workers=*/true);
  EndDaemons(/*workers=*/false);
  while (!network_fds_.empty()) EndNetworkOf(network_fds_.begin()->first);
  if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
  if (!spec_.record_path.empty()) unlink(spec_.record_path.c_str());
  if (!folder_.empty()) RemoveLabFolder(folder_);
}

}  // namespace

std::string LabFolderName(pid_t supervisor) { return absl::StrCat(supervisor); }
std::string SocketPath(const std::string& folder) { return absl::StrCat(folder, "/coordinator.sock"); }

void RunSupervisor(const SupervisorSpec& spec) {
  Supervisor supervisor(spec);
  const absl::Status status = supervisor.Start();
  if (status.ok()) supervisor.Watch();
  supervisor.TakeDown();
  // After everything is gone: the starter may try again at once.
  if (!status.ok()) supervisor.Report(status);
  _exit(status.ok() ? 0 : 1);
}

}  // namespace tutti::lab
