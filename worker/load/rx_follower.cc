#include "worker/load/rx_follower.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/load/rx_cpu.h"

namespace tutti::load {
namespace {

constexpr int64_t kLooks = 4;

}  // namespace

RxFollower::RxFollower(const std::vector<std::unique_ptr<Stream>>& streams, Pin pin)
    : streams_(streams), pin_(std::move(pin)) {
  for (size_t i = 0; i < streams.size(); ++i) {
    const StreamConfig& config = streams[i]->config();
    if (config.with_rx) followed_.push_back({.stream = i});
  }
}

bool RxFollower::Follow(const WindowGrid& grid, const TrialClock& clock, const TrialControl& control) {
  for (int64_t look = 1; look <= kLooks; ++look) {
    if (!control.SleepUntil(clock.ToMonotonicNs(grid.window_begin_ns() / (kLooks + 1) * look))) return false;
    for (Followed& followed : followed_) Look(followed);
  }
  return true;
}

void RxFollower::Look(Followed& followed) {
  const std::optional<uint32_t> cpu = RxCpu(streams_[followed.stream]->rx_socket());
  if (!cpu || followed.cpu == cpu) return;
  followed.pinned = pin_(followed.stream, *cpu);
  if (followed.pinned.ok()) followed.cpu = cpu;
}

void RxFollower::Tell() const {
  for (const Followed& followed : followed_) {
    StreamReport& report = streams_[followed.stream]->report();
    report.cpu = followed.cpu;
    OptionOutcome outcome{.name = "cpu", .asked = "with_rx"};
    outcome.got = followed.cpu ? absl::StrCat(*followed.cpu) : "any";
    if (!followed.pinned.ok()) {
      outcome.note = std::string(followed.pinned.message());
    } else if (!followed.cpu) {
      outcome.note = "no packet had arrived before the window: make the warm-up longer";
    } else if (report.rx_cpu != followed.cpu) {
      outcome.note = absl::StrCat(
          "at the window's end its packets arrived on CPU ",
          report.rx_cpu ? absl::StrCat(*report.rx_cpu) : std::string("unknown"),
          ": keep its queue on one CPU (irqbalance, RPS, and over veth the peer's own pinning move it)");
    }
    outcome.applied = outcome.note.empty();
    report.options.push_back(std::move(outcome));
  }
}

}  // namespace tutti::load
