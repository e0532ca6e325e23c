#include "worker/load/null_stream.h"

#include <algorithm>

namespace tutti::load {

NullSender::NullSender(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid), record_(config_) {
  if (config_.rate_bps) pacer_.emplace(*config_.rate_bps, config_.message_size_bytes);
}

void NullSender::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  if (!WaitForStart(clock, control, spin)) return;
  const int64_t stop_ns = grid_.stop_ns();
  while (!control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    if (now_ns >= stop_ns) break;
    if (pacer_) {
      if (const int64_t due_ns = pacer_->NextDueNs(now_ns); due_ns > now_ns) {
        control.SleepUntil(clock.ToMonotonicNs(std::min(due_ns, stop_ns)));
        continue;
      }
      pacer_->Sent();
    }
    counters_.AddBytes(config_.message_size_bytes);
    counters_.AddMessage();
    record_.SendReturned(clock, now_ns);
    record_.MessagesSent(clock, now_ns);
  }
}

}  // namespace tutti::load
