// The namespaces of a lab: entered with unshare(2), anonymous, gone with the processes in them.
//
// All functions act on the calling process, which must have one thread only.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::lab {

// Whether the process has CAP_SYS_ADMIN, so that it needs no user namespace of its own.
bool MayMakeNamespacesDirectly();

// True for statuses of EnterLabNamespaces that mean: not allowed on this system, whoever the user is.
bool IsForbidden(const absl::Status& status);

// Enters namespaces of its own for mounts and network; before them, where the process may not (no
// CAP_SYS_ADMIN), one for users with the caller's ids as root. Mounts no longer propagate. Returns
// "namespaces" or "user namespaces".
absl::StatusOr<std::string> EnterLabNamespaces();

// Mounts a tmpfs that only this user may enter.
absl::Status MountTmpfs(const std::string& folder);

// Enters a network namespace of its own.
absl::Status EnterHostNetwork();

// Enters a time namespace whose CLOCK_MONOTONIC and CLOCK_BOOTTIME are ahead of the caller's by `offset_ns`.
absl::Status EnterShiftedTime(int64_t offset_ns);

// Inode of the network namespace of a process, which tells namespaces apart; 0 if the process is gone or not
// ours to see.
uint64_t NetworkNamespaceOf(int pid);

// Kills (SIGKILL) what is in one of these network namespaces, the caller excepted: commands that `lab exec`
// left there. The caller holds each of them open, or the inode may by now be that of a stranger's namespace.
void KillMembers(const std::set<uint64_t>& network_namespaces);

// Makes sockets that were orphaned by kill -9 give up after one retransmission, since they hold their
// namespace (the default is 8, over a minute, when the other end's namespace has gone). Without permission
// nothing changes.
void ShortenOrphans();

}  // namespace tutti::lab
