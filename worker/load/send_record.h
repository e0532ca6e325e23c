// The instants of a sender: first send, steady start, last send. Kept by the sender's thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "worker/load/load_trial.h"
#include "worker/load/pacer.h"
#include "worker/load/trial_clock.h"

namespace tutti::load {

class SendRecord {
 public:
  explicit SendRecord(const StreamConfig& config)
      : running_messages_(std::min(RunningMessages(config.rate_bps.value_or(0), config.message_size_bytes),
                                   VolumeMessages(config))) {}

  // After each send call that the kernel took something of; `before_ns` was read right before it.
  void SendReturned(const TrialClock& clock, int64_t before_ns) {
    last_ns_ = before_ns;
    if (!begun_) [[unlikely]] {
      begun_ = true;
      first_before_ns_ = before_ns;
      first_after_ns_ = clock.NowNs();
    }
  }

  // After each call that completed messages; `before_ns` was read right before the first of them was begun.
  void MessagesSent(const TrialClock& clock, int64_t before_ns, uint64_t messages = 1) {
    const uint64_t messages_before = messages_;
    messages_ += messages;
    if (messages_before < running_messages_ && messages_ >= running_messages_) [[unlikely]] {
      running_before_ns_ = before_ns;
      running_ns_ = clock.NowNs();
    }
  }

  void WriteTo(StreamReport& report) const {
    if (!begun_) return;
    report.first_send_before_trial_ns = first_before_ns_;
    report.first_send_after_trial_ns = first_after_ns_;
    report.last_send_trial_ns = last_ns_;
    if (messages_ < running_messages_) return;
    report.running_before_trial_ns = running_before_ns_;
    report.running_trial_ns = running_ns_;
  }

 private:
  // A volume of fewer messages than make a steady start has it with its last one.
  static uint64_t VolumeMessages(const StreamConfig& config) {
    if (!config.volume_bytes) return UINT64_MAX;
    return (*config.volume_bytes + config.message_size_bytes - 1) / config.message_size_bytes;
  }

  const uint64_t running_messages_;
  uint64_t messages_ = 0;
  bool begun_ = false;
  int64_t first_before_ns_ = 0;
  int64_t first_after_ns_ = 0;
  int64_t running_before_ns_ = 0;
  int64_t running_ns_ = 0;
  int64_t last_ns_ = 0;
};

}  // namespace tutti::load
