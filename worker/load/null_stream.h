// Workload: everything that a stream does except the socket. Its sender shows the highest message rate that
// the tool itself allows, its receiver nothing.
#pragma once

#include <optional>
#include <utility>

#include "worker/load/pacer.h"
#include "worker/load/send_record.h"
#include "worker/load/stream.h"

namespace tutti::load {

class NullSender final : public Stream {
 public:
  NullSender(StreamConfig config, const WindowGrid& grid);
  absl::Status Prepare() override { return absl::OkStatus(); }
  void Run(const TrialClock& clock, const TrialControl& control, bool spin) override;

 private:
  void Complete(StreamReport& report) override { record_.WriteTo(report); }

  SendRecord record_;
  std::optional<Pacer> pacer_;
};

class NullReceiver final : public Stream {
 public:
  NullReceiver(StreamConfig config, const WindowGrid& grid) : Stream(std::move(config), grid) {}
  absl::Status Prepare() override { return absl::OkStatus(); }
  void Run(const TrialClock&, const TrialControl&, bool) override { report_.drained = true; }
};

}  // namespace tutti::load
