#include "worker/load/stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "worker/load/pacer.h"

namespace tutti::load {
namespace {

constexpr int64_t kSpinNs = 200'000;

const char* NameOf(Protocol protocol) {
  switch (protocol) {
    case Protocol::kTcp:
      return "tcp";
    case Protocol::kUdp:
      return "udp";
    case Protocol::kNull:
      break;
  }
  return "null";
}

}  // namespace

Stream::Stream(StreamConfig config, const WindowGrid& grid)
    : config_(std::move(config)), grid_(grid), volume_bytes_(config_.volume_bytes.value_or(UINT64_MAX)) {
  report_.stream_id = config_.stream_id;
  report_.side = config_.side;
  report_.ways = config_.ways;
  report_.ways.batch = 1;
  if (sends()) {
    report_.max_send_call_bytes = config_.message_size_bytes;
    if (config_.rate_bps) {
      std::string warning = LowRateWarning(*config_.rate_bps, config_.message_size_bytes,
                                           grid_.window_end_ns() - grid_.window_begin_ns());
      if (!warning.empty()) Warn(std::move(warning));
    }
  } else {
    report_.read_size_bytes = config_.read_size_bytes.value_or(DefaultReadSizeBytes(config_));
  }
}

std::string Stream::Name() const {
  return absl::StrCat("stream ", config_.stream_id, " (", NameOf(config_.protocol),
                      sends() ? ", sends to " : ", receives from ", config_.peer_address, ")");
}

void Stream::OrderDrain(const DrainOrder& order) {
  if (drain_ordered_.load(std::memory_order_relaxed)) return;
  drain_order_ = order;
  drain_ordered_.store(true, std::memory_order_release);
}

StreamReport Stream::TakeReport() {
  report_.total_bytes = counters_.bytes();
  report_.total_messages = counters_.messages();
  report_.calls = calls_;
  Complete(report_);
  CloseSockets();
  return std::move(report_);
}

absl::Status Stream::AllocateBuffer(MessageBuffer& buffer, uint64_t bytes) {
  if (shared_buffers_ == nullptr) return buffer.Allocate(bytes);
  TUTTI_ASSIGN_OR_RETURN(MessageBuffer * shared, shared_buffers_->OfSize(config_.side, bytes));
  buffer.Borrow(*shared);
  return absl::OkStatus();
}

void Stream::Fail(int errno_value, std::string_view what, std::string_view advice) {
  report_.error_errno = errno_value;
  report_.error = std::string(ErrnoStatus(errno_value, what, advice).message());
}

bool WaitForStart(const TrialClock& clock, const TrialControl& control, bool spin) {
  const int64_t start_ns = clock.ToMonotonicNs(0);
  if (!control.SleepUntil(spin ? start_ns - kSpinNs : start_ns)) return false;
  while (clock.NowNs() < 0) {
    if (control.stopping()) return false;
  }
  return true;
}

}  // namespace tutti::load
