#include "worker/load/null_stream.h"

#include <algorithm>

#include "worker/load/pace_wait.h"

namespace tutti::load {

NullSender::NullSender(StreamConfig config, const WindowGrid& grid)
    : Stream(std::move(config), grid), record_(config_), pacer_(MakePacer(config_, grid_)) {}

void NullSender::Run(const TrialClock& clock, const TrialControl& control, bool spin) {
  if (!WaitForStart(clock, control, spin)) return;
  const int64_t stop_ns = grid_.stop_ns();
  while (!control.stopping()) {
    const int64_t now_ns = clock.NowNs();
    if (now_ns >= stop_ns) break;
    if (pacer_) {
      if (const int64_t due_ns = pacer_->NextDueNs(now_ns); due_ns > now_ns) {
        WaitUntilDue(config_.pacing, clock, control, std::min(due_ns, stop_ns));
        continue;
      }
      pacer_->Sent();
    }
    counters_.AddBytes(config_.message_size_bytes);
    counters_.AddMessage();
    record_.SendReturned(clock, now_ns);
    record_.MessagesSent(clock, now_ns);
  }
  if (pacer_) report_.worst_behind_ns = pacer_->WorstBehindNs(clock.NowNs());
}

}  // namespace tutti::load
