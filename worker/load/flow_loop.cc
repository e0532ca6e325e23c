#include "worker/load/flow_loop.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/load_thread.h"

namespace tutti::load {
namespace {

constexpr uint64_t kWakeTag = UINT64_MAX;
constexpr uint64_t kStopTag = UINT64_MAX - 1;
constexpr int64_t kDrainLookNs = 10'000'000;
constexpr int64_t kSpinNs = 200'000;

absl::Status Register(int epoll, int fd, uint32_t events, uint64_t tag) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("epoll_ctl for file ", fd));
}

int WaitForEvents(int epoll, epoll_event* events, size_t most, int64_t timeout_ns) {
  const timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  return epoll_pwait2(epoll, events, static_cast<int>(most), timeout_ns == INT64_MAX ? nullptr : &timeout,
                      nullptr);
}

}  // namespace

FlowLoop::FlowLoop(std::vector<Flow*> flows, int64_t stop_ns)
    : flows_(std::move(flows)), schedule_(flows_.size()), wake_all_ns_(stop_ns) {}

absl::Status FlowLoop::Open(const TrialControl& control) {
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_.valid()) return ErrnoStatus(errno, "epoll_create1 for a thread per CPU");
  wake_ = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.valid()) return ErrnoStatus(errno, "eventfd for a thread per CPU");
  if (WaitForEvents(epoll_.get(), events_.data(), events_.size(), 0) < 0) {
    return ErrnoStatus(errno, "epoll_pwait2 for a thread per CPU",
                       errno == ENOSYS ? "it came with Linux 5.11: write threads: per_stream" : "");
  }
  TUTTI_RETURN_IF_ERROR(Register(epoll_.get(), wake_.get(), EPOLLIN, kWakeTag));
  return Register(epoll_.get(), control.stop_fd(), EPOLLIN | EPOLLET, kStopTag);
}

// Senders by edge: a paced one has room all the time and must not be told so all the time. An edge comes
// after each call that found no room. Receivers by level: they need not read until the queue is empty.
absl::Status FlowLoop::Watch() {
  for (size_t i = 0; i < flows_.size(); ++i) {
    const uint32_t events = flows_[i]->is_sender() ? EPOLLOUT | EPOLLET : EPOLLIN;
    TUTTI_RETURN_IF_ERROR(Register(epoll_.get(), flows_[i]->watched_fd(), events, i));
  }
  return absl::OkStatus();
}

void FlowLoop::Run(const TrialClock& clock, const TrialControl& control, bool spin,
                   absl::FunctionRef<void(size_t)> over) {
  const uint64_t first_bytes =
      std::accumulate(flows_.begin(), flows_.end(), uint64_t{0},
                      [](uint64_t sum, const Flow* flow) { return sum + flow->first_turn_bytes(); });
  StartPriority priority(first_bytes);
  size_t first_turns = 0;
  for (uint32_t i = 0; i < flows_.size(); ++i) {
    if (!flows_[i]->is_sender()) continue;
    schedule_.WaitUntil(i, 0);  // T0
    ++first_turns;
  }
  size_t turns_until_poll = 0;
  while (schedule_.left() > 0 && !control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    schedule_.Advance(now_ns);
    if (now_ns >= wake_all_ns_) {
      schedule_.WakeAll();
      wake_all_ns_ = draining_ ? now_ns + kDrainLookNs : INT64_MAX;
    }
    // Once around the queue between two looks at the sockets.
    if (turns_until_poll == 0 || schedule_.queued() == 0) {
      const int64_t due_ns = std::min(schedule_.NextDueNs(), wake_all_ns_);
      const bool spins = spin && due_ns == 0;
      Poll(now_ns, schedule_.queued() > 0 ? now_ns : spins ? due_ns - kSpinNs : due_ns);
      turns_until_poll = std::max<size_t>(1, schedule_.queued());
      continue;
    }
    --turns_until_poll;
    const uint32_t flow = *schedule_.Next();
    TakeTurn(flow, clock, now_ns, over);
    // All senders have a turn before any has a second one.
    if (first_turns > 0 && flows_[flow]->is_sender() && --first_turns == 0) priority.End();
  }
  if (control.aborted()) return;
  for (uint32_t i = 0; i < flows_.size(); ++i) {
    if (!schedule_.is_over(i)) flows_[i]->EndTurns(clock);
  }
}

void FlowLoop::TakeTurn(uint32_t flow, const TrialClock& clock, int64_t now_ns,
                        absl::FunctionRef<void(size_t)> over) {
  const Turn turn = flows_[flow]->TakeTurn(clock, now_ns);
  switch (turn.then) {
    case Turn::Then::kAgain:
      return schedule_.Again(flow);
    case Turn::Then::kSocket:
      return schedule_.WaitForSocket(flow);
    case Turn::Then::kAt:
      return schedule_.WaitUntil(flow, turn.at_ns);
    case Turn::Then::kOver:
      break;
  }
  schedule_.Over(flow);
  // A socket whose peer has closed is ready for ever.
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, flows_[flow]->watched_fd(), nullptr);
  flows_[flow]->EndTurns(clock);
  over(flow);
}

void FlowLoop::Poll(int64_t now_ns, int64_t until_ns) {
  const int64_t timeout_ns = until_ns == INT64_MAX ? INT64_MAX : std::max<int64_t>(0, until_ns - now_ns);
  const int count = WaitForEvents(epoll_.get(), events_.data(), events_.size(), timeout_ns);
  for (int i = 0; i < count; ++i) {
    const uint64_t tag = events_[static_cast<size_t>(i)].data.u64;
    if (tag == kWakeTag) {
      HearWakeUp(now_ns);
    } else if (tag != kStopTag) {
      schedule_.SocketReady(static_cast<uint32_t>(tag));
    }
  }
}

void FlowLoop::Drain() {
  const uint64_t one = 1;
  // It can only fail when the event's counter is full, and then it is readable already.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof(one));
}

void FlowLoop::HearWakeUp(int64_t now_ns) {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t size = read(wake_.get(), &count, sizeof(count));
  draining_ = true;
  wake_all_ns_ = now_ns;
}

}  // namespace tutti::load
