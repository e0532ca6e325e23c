#include "worker/load/pacer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/units/units.h"

namespace tutti::load {
namespace {

constexpr unsigned __int128 kBitNsPerByte = 8'000'000'000;

}  // namespace

Pacer::Pacer(uint64_t rate_bps, uint64_t message_size_bytes) : rate_bps_(rate_bps) {
  const unsigned __int128 bit_ns = kBitNsPerByte * message_size_bytes;
  // Beyond a century the step need not be exact, only not overflow.
  constexpr unsigned __int128 kLongest = INT64_MAX / 4;
  step_ns_ = static_cast<int64_t>(std::min(bit_ns / rate_bps, kLongest));
  step_remainder_ = static_cast<uint64_t>(bit_ns % rate_bps);
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
