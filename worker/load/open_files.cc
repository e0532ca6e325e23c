#include "worker/load/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::load {
namespace {

uint64_t CountOpenFiles() {
  uint64_t count = 0;
  if (DIR* directory = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
    closedir(directory);
  }
  return count;
}

}  // namespace

absl::Status EnsureOpenFiles(uint64_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return ErrnoStatus(errno, "getrlimit RLIMIT_NOFILE");
  const uint64_t open = CountOpenFiles();
  if (open + needed <= limit.rlim_cur) return absl::OkStatus();
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return ErrnoStatus(errno, absl::StrCat("raise RLIMIT_NOFILE to ", limit.rlim_max));
    }
    if (open + needed <= limit.rlim_cur) return absl::OkStatus();
  }
  const rlimit raised{open + needed, open + needed};
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return absl::OkStatus();
  return ErrnoStatus(EMFILE,
                     absl::StrCat("open ", needed, " files for the trial's sockets beside ", open,
                                  " that are open, with a hard limit of ", limit.rlim_max),
                     absl::StrCat("raise the limit to at least ", open + needed,
                                  " (LimitNOFILE= in the unit, or ulimit -Hn), or use fewer streams"));
}

}  // namespace tutti::load
