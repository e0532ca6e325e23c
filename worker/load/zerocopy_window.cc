#include "worker/load/zerocopy_window.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/load/trial_clock.h"
#include "worker/load/trial_control.h"

namespace tutti::load {
namespace {

constexpr int kLastCompletionsMs = 20;

// POLLERR is always polled for. False after `timeout_ms` without one.
bool WaitForErrorQueue(int fd, int timeout_ms) {
  pollfd waited{.fd = fd, .events = 0, .revents = 0};
  return poll(&waited, 1, timeout_ms) > 0;
}

bool TellsErrors(const cmsghdr& item) {
  return (item.cmsg_level == SOL_IP && item.cmsg_type == IP_RECVERR) ||
         (item.cmsg_level == SOL_IPV6 && item.cmsg_type == IPV6_RECVERR);
}

}  // namespace

void ZerocopyWindow::Completed(uint32_t first, uint32_t last, bool copied) {
  const uint32_t calls = last - first + 1;
  if (calls > under_way()) return;  // not of this socket's calls
  for (uint32_t call = first; call != last + 1; ++call) in_flight_[call & (slots() - 1)] = 0;
  completed_ += calls;
  if (copied) copied_ += calls;
}

void ZerocopyWindow::Collect(int fd) {
  alignas(cmsghdr) unsigned char control[256];
  for (;;) {
    msghdr message{};
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return;
    for (cmsghdr* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
      if (!TellsErrors(*item)) continue;
      sock_extended_err told{};
      std::memcpy(&told, CMSG_DATA(item), sizeof(told));
      if (told.ee_origin != SO_EE_ORIGIN_ZEROCOPY || told.ee_errno != 0) continue;
      Completed(told.ee_info, told.ee_data, (told.ee_code & SO_EE_CODE_ZEROCOPY_COPIED) != 0);
    }
  }
}

bool ZerocopyWindow::MakeRoom(int fd, int flags) {
  Collect(fd);
  if (in_flight_[next_slot()] && (flags & MSG_DONTWAIT) == 0) {
    if (WaitForErrorQueue(fd, kWakeUpNs / 1'000'000)) Collect(fd);
  }
  if (!in_flight_[next_slot()]) return true;
  errno = EAGAIN;
  return false;
}

// ENOBUFS: the notifications that wait to be read use up net.core.optmem_max, or the pinned pages the limit
// on locked memory.
void ZerocopyWindow::Failed(int fd, int flags) {
  const int code = errno;
  const bool may_pass = code == ENOBUFS && under_way() > 0;
  if (may_pass || code == EAGAIN) Collect(fd);
  if (may_pass && under_way() > 0 && (flags & MSG_DONTWAIT) == 0) {
    if (WaitForErrorQueue(fd, kWakeUpNs / 1'000'000)) Collect(fd);
  }
  errno = may_pass ? EAGAIN : code;
}

bool ZerocopyWindow::CollectAll(int fd, int timeout_ms) {
  const int64_t until_ns = MonotonicNowNs() + int64_t{timeout_ms} * 1'000'000;
  Collect(fd);
  while (under_way() > 0) {
    const int64_t left_ns = until_ns - MonotonicNowNs();
    if (left_ns <= 0 || !WaitForErrorQueue(fd, static_cast<int>(left_ns / 1'000'000) + 1)) return false;
    const uint64_t before = completed_;
    Collect(fd);
    if (completed_ == before) return false;  // woken by something that brings none
  }
  return true;
}

void ReportCompletions(int fd, ZerocopyWindow& window, StreamReport& report) {
  window.Collect(fd);
  // What the peer has not acknowledged, or the device not sent, is not worth waiting for: an abort left it.
  int queued = 0;
  if (report.error.empty() && ioctl(fd, SIOCOUTQ, &queued) == 0 && queued == 0) {
    window.CollectAll(fd, kLastCompletionsMs);
  }
  report.zerocopy_completions = window.completed();
  report.zerocopy_copied = window.copied();
  if (window.under_way() == 0) return;
  report.warnings.push_back(absl::StrCat("zerocopy: of the calls ", window.under_way(),
                                         " were not reported as completed when the socket closed"));
}

}  // namespace tutti::load
