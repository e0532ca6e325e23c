// Datagrams at the clock service's port, as if their sender knew the session's token. Each step is one that
// arrives `detail` x 10 ms after the one before; a probe goes out before each.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/net/clock_datagram.h"
#include "common/time/clock_estimator.h"
#include "coordinator/fleet/probe_ledger.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/steps.h"

namespace {

using tutti::TimelineTime;
using tutti::fuzz::Require;
using tutti::net::ClockDatagram;
using tutti::net::ClockDatagramKind;

constexpr size_t kMostSteps = 256;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kStartNs = 1'000'000 * kMs;

std::string BytesOf(const ClockDatagram& datagram) {
  const auto bytes = tutti::net::EncodeClockDatagram(datagram);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  std::vector<Step> replies;
  std::vector<Step> follow_ups;
  for (uint64_t sequence = 1; sequence <= 20; ++sequence) {
    // The host's clock is 1,000 s behind.
    const int64_t host_ns = static_cast<int64_t>(sequence) * 10 * kMs;
    ClockDatagram reply{.kind = ClockDatagramKind::kReply, .sequence = sequence};
    reply.has_received = true;
    reply.received = {host_ns};
    reply.received_bound_ns = 100;
    reply.has_sent = sequence > 1;
    reply.sent_sequence = sequence - 1;
    reply.sent = {host_ns - 10 * kMs + 1000};
    replies.push_back({0, 1, BytesOf(reply)});
    ClockDatagram follow_up = reply;
    follow_up.kind = ClockDatagramKind::kFollowUp;
    follow_up.has_sent = true;
    follow_up.sent_sequence = sequence;
    follow_up.sent = {host_ns + 1000};
    follow_ups.push_back({0, 1, BytesOf(reply)});
    follow_ups.push_back({0, 0, BytesOf(follow_up)});
  }
  return {InputOf(replies), InputOf(follow_ups)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fleet::ProbeLedger ledger;
  tutti::FeasibleLineEstimator estimator;
  TimelineTime now{kStartNs};
  for (const tutti::fuzz::Step& step : tutti::fuzz::StepsOf(data, size, kMostSteps)) {
    now = now + step.detail * 10 * kMs;
    ledger.Begin(now);
    const std::vector<uint8_t> bytes(step.bytes.begin(), step.bytes.end());
    const std::optional<ClockDatagram> datagram = tutti::net::DecodeClockDatagram(bytes);
    if (!datagram.has_value()) continue;
    Require(tutti::net::DecodeClockDatagram(tutti::net::EncodeClockDatagram(*datagram)) == datagram,
            "a datagram comes back as it was");
    std::optional<tutti::fleet::ClockMeasurement> measured;
    if (datagram->kind == ClockDatagramKind::kReply) measured = ledger.OnReply(*datagram, now + kMs / 10, 50);
    if (datagram->kind == ClockDatagramKind::kFollowUp) measured = ledger.OnFollowUp(*datagram);
    if (measured.has_value()) estimator.Add(measured->exchange);
    const auto mapping = estimator.At(now);
    Require(!mapping.has_value() || mapping->bound_ns() >= 0, "a bound is not negative");
  }
  return 0;
}
