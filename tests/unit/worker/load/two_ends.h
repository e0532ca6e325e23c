// A whole trial over real sockets of this host, both ends in one process: what the tests of LoadTrial stand
// on.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/time/clock.h"
#include "gtest/gtest.h"
#include "tests/nanoseconds.h"
#include "worker/load/load_trial.h"

namespace tutti::load {

inline size_t CountEntries(const char* path) {
  size_t count = 0;
  if (DIR* directory = opendir(path)) {
    while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
    closedir(directory);
  }
  return count;
}
inline size_t ThreadCount() { return CountEntries("/proc/self/task"); }
inline size_t FileCount() { return CountEntries("/proc/self/fd"); }

inline HostTime InNs(int64_t ns) { return SystemClock::Get().Now() + ns; }

inline StreamConfig End(uint32_t id, Side side, Protocol protocol, uint64_t message_size_bytes,
                        const std::string& address = "127.0.0.1") {
  StreamConfig config;
  config.stream_id = id;
  config.side = side;
  config.protocol = protocol;
  config.message_size_bytes = message_size_bytes;
  config.nonce = 0x1122334455667700ULL + id;
  config.local_address = address;
  config.peer_address = address;
  return config;
}

// One end of a stream of transactions.
inline StreamConfig ExchangeEnd(Side side, Protocol protocol, uint64_t request_bytes, uint64_t response_bytes,
                                uint32_t outstanding = 1, const std::string& address = "127.0.0.1") {
  StreamConfig config = End(1, side, protocol, request_bytes, address);
  config.request_response = {Exchange::kRequestResponse, request_bytes, response_bytes, outstanding};
  return config;
}

constexpr TrialTiming kShort{
    .warmup_ns = 30 * kMs, .measure_ns = 110 * kMs, .cooldown_ns = 20 * kMs, .interval_ns = 50 * kMs};

// Senders and receivers are two LoadTrials, as on two hosts.
struct TwoEnds {
  std::vector<Edge> sender_edges;
  std::vector<Edge> receiver_edges;
  std::vector<SenderFinal> finals;
  LoadReport sent;
  LoadReport received;
  ClockMapping mapping;
  const Clock* clock = &SystemClock::Get();
  // Last: their samplers write into the edges above until they are destroyed.
  std::unique_ptr<LoadTrial> sender;
  std::unique_ptr<LoadTrial> receiver;

  void Prepare(std::vector<StreamConfig> senders, std::vector<StreamConfig> receivers,
               TrialTiming timing = kShort) {
    auto made_receiver = LoadTrial::Prepare(std::move(receivers), timing, *clock);
    ASSERT_TRUE(made_receiver.ok()) << made_receiver.status();
    receiver = *std::move(made_receiver);
    auto made_sender = LoadTrial::Prepare(std::move(senders), timing, *clock);
    ASSERT_TRUE(made_sender.ok()) << made_sender.status();
    sender = *std::move(made_sender);
  }

  void Connect() {
    // The kernel completes the handshake through the listener's backlog before anybody accepts.
    const HostTime deadline = clock->Now() + 2000 * kMs;
    const absl::Status connected = sender->Connect(receiver->bound_ports(), deadline);
    ASSERT_TRUE(connected.ok()) << connected;
    const absl::Status accepted = receiver->Connect({}, deadline);
    ASSERT_TRUE(accepted.ok()) << accepted;
  }

  void Arm(int64_t in_ns = 60 * kMs) {
    const TimelineTime t0 = mapping.Convert(clock->Now()) + in_ns;
    ASSERT_TRUE(
        receiver->Arm(mapping, t0, [this](const Edge& edge) { receiver_edges.push_back(edge); }).ok());
    ASSERT_TRUE(sender->Arm(mapping, t0, [this](const Edge& edge) { sender_edges.push_back(edge); }).ok());
  }

  void Finish() {
    finals = sender->WaitSenders();
    receiver->WaitSenders();
    receiver->Drain(finals, clock->Now() + 2500 * kMs);
    received = receiver->Report();
    sent = sender->Report();
  }

  void RunAll(std::vector<StreamConfig> senders, std::vector<StreamConfig> receivers,
              TrialTiming timing = kShort, int64_t start_in_ns = 60 * kMs) {
    ASSERT_NO_FATAL_FAILURE(Prepare(std::move(senders), std::move(receivers), timing));
    ASSERT_NO_FATAL_FAILURE(Connect());
    ASSERT_NO_FATAL_FAILURE(Arm(start_in_ns));
    Finish();
  }
};

inline std::string PrepareError(const StreamConfig& config) {
  const auto trial = LoadTrial::Prepare({config}, kShort, SystemClock::Get());
  return std::string(trial.status().message());
}

}  // namespace tutti::load
