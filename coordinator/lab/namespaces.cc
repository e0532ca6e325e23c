#include "coordinator/lab/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/time/nanoseconds.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif

namespace tutti::lab {
namespace {

constexpr char kForbiddenUrl[] = "tutti.lab.forbidden";

absl::Status Forbidden(absl::Status status) {
  status.SetPayload(kForbiddenUrl, absl::Cord("1"));
  return status;
}

// Errnos of unshare and mount that no waiting and no smaller lab would cure.
bool MeansForbidden(int error) {
  return error == EPERM || error == EACCES || error == ENOSYS || error == EINVAL;
}

std::string ReadLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

absl::Status WriteFile(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("open ", path));
  const ssize_t written = write(fd, text.data(), text.size());
  const int error = errno;
  close(fd);
  if (written != static_cast<ssize_t>(text.size())) return ErrnoStatus(error, absl::StrCat("write ", path));
  return absl::OkStatus();
}

// unshare() of one kind of namespace, whose number user.max_<limit> bounds.
absl::Status Unshare(int flag, const std::string& flag_name, const std::string& limit) {
  if (unshare(flag) == 0) return absl::OkStatus();
  const int error = errno;
  const std::string file = absl::StrCat("/proc/sys/user/max_", limit, "_namespaces");
  if (error == ENOSPC) {
    const std::string value = ReadLine(file);
    absl::Status status =
        ErrnoStatus(error, absl::StrCat("unshare(", flag_name, ")"),
                    absl::StrCat("user.max_", limit, "_namespaces is ", value,
                                 "; raise it with sysctl -w user.max_", limit, "_namespaces=N"));
    // 0 for users is how administrators switch them off.
    return flag == CLONE_NEWUSER && value == "0" ? Forbidden(status) : status;
  }
  const absl::Status status = ErrnoStatus(error, absl::StrCat("unshare(", flag_name, ")"));
  return MeansForbidden(error) ? Forbidden(status) : status;
}

absl::Status EnterUserNamespace() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  TUTTI_RETURN_IF_ERROR(Unshare(CLONE_NEWUSER, "CLONE_NEWUSER", "user"));
  absl::Status status = WriteFile("/proc/self/setgroups", "deny");
  if (status.ok()) status = WriteFile("/proc/self/uid_map", absl::StrFormat("0 %d 1\n", uid));
  if (status.ok()) status = WriteFile("/proc/self/gid_map", absl::StrFormat("0 %d 1\n", gid));
  return status.ok() ? status : Forbidden(status);
}

}  // namespace

bool MayMakeNamespacesDirectly() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  if (syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[CAP_SYS_ADMIN / 32].effective >> (CAP_SYS_ADMIN % 32) & 1) != 0;
}

bool IsForbidden(const absl::Status& status) { return status.GetPayload(kForbiddenUrl).has_value(); }

absl::StatusOr<std::string> EnterLabNamespaces() {
  const bool privileged = MayMakeNamespacesDirectly();
  if (!privileged) TUTTI_RETURN_IF_ERROR(EnterUserNamespace());
  TUTTI_RETURN_IF_ERROR(Unshare(CLONE_NEWNS, "CLONE_NEWNS", "mnt"));
  TUTTI_RETURN_IF_ERROR(Unshare(CLONE_NEWNET, "CLONE_NEWNET", "net"));
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return Forbidden(ErrnoStatus(errno, "make the lab's mounts private"));
  }
  return privileged ? "namespaces" : "user namespaces";
}

absl::Status MountTmpfs(const std::string& folder) {
  if (mount("tutti-lab", folder.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") == 0) {
    return absl::OkStatus();
  }
  const int error = errno;
  const absl::Status status = ErrnoStatus(error, absl::StrCat("mount a tmpfs on ", folder));
  return MeansForbidden(error) ? Forbidden(status) : status;
}

absl::Status EnterHostNetwork() { return Unshare(CLONE_NEWNET, "CLONE_NEWNET", "net"); }

absl::Status EnterShiftedTime(int64_t offset_ns) {
  TUTTI_RETURN_IF_ERROR(Unshare(CLONE_NEWTIME, "CLONE_NEWTIME", "time"));
  const std::string offset = absl::StrCat(offset_ns / kNsPerSecond, " ", offset_ns % kNsPerSecond);
  TUTTI_RETURN_IF_ERROR(WriteFile("/proc/self/timens_offsets",
                                  absl::StrCat("monotonic ", offset, "\nboottime ", offset, "\n")));
  // unshare moves only children to come; this moves the caller.
  const int fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, "open /proc/self/ns/time_for_children");
  const int result = setns(fd, CLONE_NEWTIME);
  const int error = errno;
  close(fd);
  return result == 0 ? absl::OkStatus() : ErrnoStatus(error, "enter the time namespace");
}

uint64_t NetworkNamespaceOf(int pid) {
  struct stat info {};
  return stat(absl::StrCat("/proc/", pid, "/ns/net").c_str(), &info) == 0 ? info.st_ino : 0;
}

void KillMembers(const std::set<uint64_t>& network_namespaces) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    int pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid) || pid == getpid()) continue;
    const uint64_t inode = NetworkNamespaceOf(pid);
    if (inode != 0 && network_namespaces.count(inode) != 0) kill(pid, SIGKILL);
  }
}

void ShortenOrphans() { static_cast<void>(WriteFile("/proc/sys/net/ipv4/tcp_orphan_retries", "1")); }

}  // namespace tutti::lab
