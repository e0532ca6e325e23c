// A session of a worker that lives in the test.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/fleet/worker_link.h"

namespace tutti::fleet {

class FakeLink final : public WorkerLink {
 public:
  explicit FakeLink(std::string peer = "ipv4:10.0.0.1:4000") : peer_(std::move(peer)) {}

  void Send(tutti::v1::CoordinatorMessage message) override { sent.push_back(std::move(message)); }
  void SendProbe(uint64_t sequence) override { probes.push_back(sequence); }
  void Close() override { closed = true; }
  void Break() override { broken = true; }
  std::string peer() const override { return peer_; }

  bool registered() const { return !sent.empty() && sent.front().has_registered(); }
  // Empty: not refused.
  std::string refusal() const { return sent.empty() ? "" : sent.back().refused().reason(); }

  std::vector<tutti::v1::CoordinatorMessage> sent;
  std::vector<uint64_t> probes;
  bool closed = false;
  bool broken = false;

 private:
  const std::string peer_;
};

}  // namespace tutti::fleet
