#include "worker/load/pacer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::load {
namespace {

constexpr unsigned __int128 kBitNsPerByte = 8'000'000'000;

}  // namespace

Pacer::Pacer(uint64_t rate_bps, uint64_t message_size_bytes, const Pacing& pacing)
    : rate_bps_(rate_bps), catch_up_ns_(pacing.catch_up_ns), burst_(pacing.burst), left_(pacing.burst) {
  const unsigned __int128 bit_ns = kBitNsPerByte * message_size_bytes * burst_;
  // Beyond a century the gap need not be exact, only not overflow.
  constexpr unsigned __int128 kLongest = INT64_MAX / 4;
  gap_ns_ = static_cast<int64_t>(std::min(bit_ns / rate_bps, kLongest));
  gap_remainder_ = static_cast<uint64_t>(bit_ns % rate_bps);
  whole_gap_ns_ = gap_ns_ + (gap_remainder_ > 0 ? 1 : 0);
}

void Pacer::NoteBehind(int64_t now_ns) {
  if (now_ns < window_begin_ns_) return;
  worst_behind_ns_ = std::max(worst_behind_ns_, std::min(now_ns, window_end_ns_) - due_ns_);
}

void Pacer::GiveUp(int64_t surplus_ns) {
  const unsigned __int128 gap = static_cast<unsigned __int128>(gap_ns_) * rate_bps_ + gap_remainder_;
  const auto bursts = static_cast<int64_t>(static_cast<unsigned __int128>(surplus_ns) * rate_bps_ / gap);
  const unsigned __int128 remainder = static_cast<unsigned __int128>(bursts) * gap_remainder_ + remainder_;
  due_ns_ += bursts * gap_ns_ + static_cast<int64_t>(remainder / rate_bps_);
  remainder_ = static_cast<uint64_t>(remainder % rate_bps_);
}

std::optional<Pacer> MakePacer(const StreamConfig& config, const WindowGrid& grid) {
  if (!config.rate_bps || config.pacing.keeper == PaceKeeper::kKernel) return std::nullopt;
  std::optional<Pacer> pacer(std::in_place, *config.rate_bps, config.message_size_bytes, config.pacing);
  pacer->Watch(grid);
  return pacer;
}

uint64_t RunningMessages(uint64_t rate_bps_or_0, uint64_t message_size_bytes) {
  if (rate_bps_or_0 == 0) return 100;
  const uint64_t bits_per_10_ms = rate_bps_or_0 / 100;
  const unsigned __int128 message_bits = static_cast<unsigned __int128>(message_size_bytes) * 8;
  return std::max<uint64_t>(1, static_cast<uint64_t>((bits_per_10_ms + message_bits - 1) / message_bits));
}

std::string LowRateWarning(uint64_t rate_bps, uint64_t message_size_bytes, int64_t window_ns) {
  const unsigned __int128 bit_ns = kBitNsPerByte * message_size_bytes;
  if (bit_ns <= static_cast<unsigned __int128>(window_ns) * rate_bps) return "";
  const auto takes_ns = static_cast<int64_t>(std::min<unsigned __int128>(bit_ns / rate_bps, INT64_MAX));
  return absl::StrCat("1 message of ", message_size_bytes, "B takes ", FormatDuration(takes_ns), " at ",
                      rate_bps, "bps: longer than the window of ", FormatDuration(window_ns),
                      "; raise the rate or shorten message_size");
}

}  // namespace tutti::load
