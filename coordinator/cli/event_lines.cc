#include "coordinator/cli/event_lines.h"

#include <cerrno>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "coordinator/report/report.h"

namespace tutti::cli {
namespace {

// A stream that fails has the reason in errno, if a system call was it.
int ErrnoNow() { return errno != 0 ? errno : EIO; }

}  // namespace

absl::Status EventLines::OpenFile(const std::string& path) {
  errno = 0;
  file_.open(path, std::ios::binary | std::ios::trunc);
  if (!file_) return ErrnoStatus(ErrnoNow(), absl::StrCat("open ", path));
  path_ = path;
  return absl::OkStatus();
}

void EventLines::OnAccepted(const std::string& run_id) { Write(report::RenderAcceptedLine(run_id)); }

void EventLines::OnEvent(const tutti::v1::RunEvent& event) {
  Write(report::RenderEventLine(event));
  ended_ = ended_ || event.has_ended();
}

void EventLines::Write(const std::string& line) {
  if (out_ != nullptr && out_status_.ok()) {
    *out_ << line << std::flush;
    if (!*out_) out_status_ = absl::DataLossError("the events could not be written to standard output");
  }
  if (!path_.empty() && file_status_.ok()) {
    errno = 0;
    file_ << line << std::flush;
    if (!file_) file_status_ = ErrnoStatus(ErrnoNow(), absl::StrCat("write ", path_));
  }
}

}  // namespace tutti::cli
