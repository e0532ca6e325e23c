#include "worker/load/connector.h"

#include <errno.h>
#include <poll.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::load {
namespace {

constexpr int64_t kLongestPollNs = 1'000'000'000;

absl::Status Begin(const std::vector<std::unique_ptr<Stream>>& streams,
                   const std::vector<BoundPort>& targets) {
  absl::flat_hash_map<uint32_t, uint16_t> port_of;
  for (const BoundPort& target : targets) port_of[target.stream_id] = target.port;
  for (const auto& stream : streams) {
    uint16_t port = 0;
    if (stream->sends() && stream->config().protocol != Protocol::kNull) {
      const auto found = port_of.find(stream->config().stream_id);
      if (found == port_of.end() || found->second == 0) {
        return absl::InvalidArgumentError(absl::StrCat(stream->Name(), ": its receiver's port was not told"));
      }
      port = found->second;
    }
    TUTTI_RETURN_IF_ERROR(Annotate(stream->BeginConnect(port), stream->Name()));
  }
  return absl::OkStatus();
}

absl::Status TimedOut(const std::vector<Stream*>& waiting) {
  absl::Status status = Annotate(waiting.front()->ConnectTimedOut(), waiting.front()->Name());
  if (waiting.size() == 1) return status;
  return Annotate(status, absl::StrCat(waiting.size(), " streams are not connected, the first of them"));
}

int PollTimeoutMs(int64_t left_ns) {
  return static_cast<int>((std::min(left_ns, kLongestPollNs) + 999'999) / 1'000'000);
}

}  // namespace

absl::Status ConnectStreams(const std::vector<std::unique_ptr<Stream>>& streams,
                            const std::vector<BoundPort>& targets, HostTime deadline, const Clock& clock,
                            const TrialControl& control) {
  TUTTI_RETURN_IF_ERROR(Begin(streams, targets));
  std::vector<Stream*> waiting;
  std::vector<pollfd> polls;
  for (;;) {
    if (control.stopping()) return absl::CancelledError("the trial was aborted while its streams connected");
    waiting.clear();
    polls.assign(1, {control.stop_fd(), POLLIN, 0});
    for (const auto& stream : streams) {
      const Stream::Wish wish = stream->wish();
      if (wish.fd < 0) continue;
      waiting.push_back(stream.get());
      polls.push_back({wish.fd, wish.events, 0});
    }
    if (waiting.empty()) return absl::OkStatus();
    const int64_t left_ns = deadline - clock.Now();
    if (left_ns <= 0) return TimedOut(waiting);
    if (poll(polls.data(), polls.size(), PollTimeoutMs(left_ns)) < 0 && errno != EINTR) {
      return ErrnoStatus(errno, absl::StrCat("poll ", polls.size(), " connecting sockets"));
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (polls[i + 1].revents != 0)
        TUTTI_RETURN_IF_ERROR(Annotate(waiting[i]->OnReady(), waiting[i]->Name()));
    }
  }
}

}  // namespace tutti::load
