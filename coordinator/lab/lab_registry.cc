#include "coordinator/lab/lab_registry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/clock.h"
#include "common/time/nanoseconds.h"
#include "coordinator/lab/lab_record.h"
#include "coordinator/lab/lab_start.h"
#include "coordinator/lab/process_identity.h"
#include "coordinator/lab/runtime_folder.h"

namespace tutti::lab {
namespace {

constexpr char kSuffix[] = ".lab";

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

absl::StatusOr<std::string> RecordPath(const std::string& name) {
  TUTTI_RETURN_IF_ERROR(CheckLabName(name));
  TUTTI_ASSIGN_OR_RETURN(const std::string folder, RuntimeFolder());
  return absl::StrCat(folder, "/", name, kSuffix);
}

bool IsFileAt(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return fstat(fd, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

// Of a new lab: the locked, empty record. AlreadyExists if a live supervisor, or one that is starting, holds
// it.
absl::StatusOr<Fd> LockNewRecord(const std::string& name) {
  constexpr int kAttempts = 20;  // another process may remove a stale record in between
  std::string path;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    TUTTI_ASSIGN_OR_RETURN(path, RecordPath(name));
    Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (fd.get() < 0 && errno == ENOENT) continue;
    if (fd.get() < 0) return ErrnoStatus(errno, absl::StrCat("open the lab's record ", path));
    if (flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return ErrnoStatus(errno, absl::StrCat("lock the lab's record ", path));
      return absl::AlreadyExistsError(absl::StrCat("lab '", name,
                                                   "' is up already; end it with tutti lab down --name ",
                                                   name, ", or choose another name"));
    }
    if (!IsFileAt(fd.get(), path)) continue;
    if (ftruncate(fd.get(), 0) != 0) return ErrnoStatus(errno, absl::StrCat("empty the lab's record ", path));
    return fd;
  }
  return absl::UnavailableError(absl::StrCat("the lab's record ", path, " is removed again and again"));
}

absl::Status WriteRecord(int fd, const LabRecord& record) {
  const std::string text = FormatRecord(record);
  if (pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    return ErrnoStatus(errno, "write the lab's record");
  }
  return absl::OkStatus();
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> buffer;
  ssize_t count = 0;
  while ((count = pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) > 0) {
    text.append(buffer.data(), count);
  }
  return text;
}

// The record at `path` if its lab lives. A stale one is removed, with what its supervisor left: NotFound.
absl::StatusOr<LabRecord> ReadLive(const std::string& path) {
  const absl::Status not_found = absl::NotFoundError("no such lab");
  Fd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0) return not_found;
  const bool held = flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!held) {
    if (IsFileAt(fd.get(), path)) RemoveRecord(path);
    return not_found;
  }
  absl::StatusOr<LabRecord> record = ParseRecord(ReadAll(fd.get()));
  if (!record.ok()) return absl::UnavailableError("the lab is just starting");
  if (!IsAlive(record->supervisor_pid, record->supervisor_start_ticks)) return not_found;
  return record;
}

std::string NameOrDefault(const std::string& name) { return name.empty() ? kDefaultLabName : name; }

LabRecord RecordOf(const std::string& name, const Lab& lab) {
  LabRecord record;
  record.name = name;
  record.kind = lab.kind();
  record.coordinator_address = lab.coordinator_address();
  record.log_dir = lab.log_dir();
  record.supervisor_pid = lab.supervisor_pid();
  record.supervisor_start_ticks = StartTicks(lab.supervisor_pid()).value_or(0);
  record.coordinator_pid = lab.coordinator_pid();
  record.started_unix_ns = UnixNowNs();
  record.hosts = lab.hosts();
  return record;
}

}  // namespace

absl::StatusOr<LabRecord> Up(const LabOptions& asked) {
  LabOptions options = asked;
  options.name = NameOrDefault(asked.name);
  options.end_with_worker = true;
  TUTTI_ASSIGN_OR_RETURN(const Fd record_fd, LockNewRecord(options.name));
  TUTTI_ASSIGN_OR_RETURN(const std::string path, RecordPath(options.name));
  const auto start = [&]() -> absl::StatusOr<LabRecord> {
    TUTTI_ASSIGN_OR_RETURN(const std::unique_ptr<Lab> lab,
                           StartLab(options, {.fd = record_fd.get(), .path = path}));
    const LabRecord record = RecordOf(options.name, *lab);
    TUTTI_RETURN_IF_ERROR(WriteRecord(record_fd.get(), record));
    TUTTI_RETURN_IF_ERROR(lab->Detach());
    return record;
  };
  absl::StatusOr<LabRecord> record = start();
  if (!record.ok()) RemoveRecord(path);
  return record;
}

absl::StatusOr<LabRecord> Find(const std::string& asked) {
  const std::string name = NameOrDefault(asked);
  TUTTI_ASSIGN_OR_RETURN(const std::string path, RecordPath(name));
  absl::StatusOr<LabRecord> record = ReadLive(path);
  if (!absl::IsNotFound(record.status())) return record.ok() ? record : Annotate(record.status(), name);
  TUTTI_ASSIGN_OR_RETURN(const std::vector<LabRecord> up, List());
  const std::string others = absl::StrJoin(
      up, ", ", [](std::string* out, const LabRecord& other) { absl::StrAppend(out, other.name); });
  return absl::NotFoundError(absl::StrCat("no lab '", name, "' is up; ", up.empty() ? "none is" : "up: ",
                                          others, "; tutti lab up --name ", name, " starts it"));
}

absl::StatusOr<std::vector<LabRecord>> List() {
  TUTTI_ASSIGN_OR_RETURN(const std::string folder, RuntimeFolder());
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (absl::EndsWith(entry.path().string(), kSuffix)) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<LabRecord> records;
  for (const std::string& path : paths) {
    absl::StatusOr<LabRecord> record = ReadLive(path);
    if (record.ok()) records.push_back(*std::move(record));
  }
  RemoveStaleLabFolders();
  return records;
}

absl::Status Down(const std::string& name) {
  TUTTI_ASSIGN_OR_RETURN(const LabRecord record, Find(name));
  // A pidfd cannot come to stand for another process; looking again after it was opened closes the gap
  // before.
  const Fd process(static_cast<int>(syscall(SYS_pidfd_open, record.supervisor_pid, 0)));
  if (process.get() < 0 && errno != ESRCH) {
    return ErrnoStatus(errno, absl::StrCat("reach the supervisor of lab ", record.name));
  }
  const auto signal_supervisor = [&](int number) {
    if (!IsAlive(record.supervisor_pid, record.supervisor_start_ticks)) return;
    syscall(SYS_pidfd_send_signal, process.get(), number, nullptr, 0);
  };
  signal_supervisor(SIGTERM);
  signal_supervisor(SIGCONT);
  if (!AwaitGone({record.supervisor_pid}, 3 * kNsPerSecond)) signal_supervisor(SIGKILL);
  std::vector<int> pids = {record.supervisor_pid, record.coordinator_pid};
  for (const LabHost& host : record.hosts) pids.push_back(host.pid);
  const bool gone = AwaitGone(pids, 2 * kNsPerSecond);
  // The supervisor removes its record, unless it was killed.
  TUTTI_ASSIGN_OR_RETURN(const std::string path, RecordPath(record.name));
  static_cast<void>(ReadLive(path));
  RemoveStaleLabFolders();
  if (gone) return absl::OkStatus();
  return absl::DeadlineExceededError(absl::StrCat("lab ", record.name, ": some of its processes do not end"));
}

}  // namespace tutti::lab
