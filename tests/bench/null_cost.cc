// What the tool itself costs per message: a whole trial of the null workload, whose senders do everything but
// the call into the kernel. Prints CPU time per message and the messages a second of all streams, as JSON.
// usage: null_cost STREAMS SECONDS
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/time/clock.h"
#include "worker/load/load_trial.h"

namespace tutti::load {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kUntilStartNs = 100 * kMs;

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "null_cost: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

std::vector<StreamConfig> Senders(uint32_t streams) {
  std::vector<StreamConfig> senders(streams);
  for (uint32_t i = 0; i < streams; ++i) {
    senders[i].stream_id = i;
    senders[i].protocol = Protocol::kNull;
    senders[i].message_size_bytes = 1472;
    senders[i].local_address = senders[i].peer_address = "127.0.0.1";
  }
  return senders;
}

uint64_t MessagesOf(const Edge& edge) {
  uint64_t messages = 0;
  for (const uint64_t of_stream : edge.messages) messages += of_stream;
  return messages;
}

int Measure(uint32_t streams, int64_t seconds) {
  const Clock& clock = SystemClock::Get();
  const TrialTiming timing{.warmup_ns = 200 * kMs,
                           .measure_ns = seconds * 1000 * kMs,
                           .cooldown_ns = 100 * kMs,
                           .interval_ns = 100 * kMs};
  std::vector<Edge> edges;  // written by the sampler's thread, until Report has joined it
  auto made = LoadTrial::Prepare(Senders(streams), timing, clock);
  Require(made.status());
  const std::unique_ptr<LoadTrial> trial = *std::move(made);
  Require(trial->Connect({}, clock.Now() + 1000 * kMs));
  const ClockMapping mapping;
  Require(trial->Arm(mapping, mapping.Convert(clock.Now()) + kUntilStartNs,
                     [&edges](const Edge& edge) { edges.push_back(edge); }));
  trial->WaitSenders();
  trial->Drain({}, clock.Now() + 1000 * kMs);
  const LoadReport report = trial->Report();
  if (edges.size() < 2) {
    std::fprintf(stderr, "null_cost: %zu edges of the window were read\n", edges.size());
    return 1;
  }
  const auto messages = static_cast<double>(MessagesOf(edges.back()) - MessagesOf(edges.front()));
  const auto elapsed_ns = static_cast<double>(edges.back().begin_trial_ns - edges.front().begin_trial_ns);
  std::printf("{\"cpu_ns_per_message\": %.3f, \"messages_per_s\": %.0f}\n",
              static_cast<double>(report.load_thread_cpu_ns) / messages, messages * 1e9 / elapsed_ns);
  return 0;
}

}  // namespace
}  // namespace tutti::load

int main(int argc, char** argv) {
  const int streams = argc == 3 ? std::atoi(argv[1]) : 0;
  const int seconds = argc == 3 ? std::atoi(argv[2]) : 0;
  if (streams < 1 || seconds < 1) {
    std::fprintf(stderr, "usage: %s STREAMS SECONDS\n", argv[0]);
    return 2;
  }
  return tutti::load::Measure(static_cast<uint32_t>(streams), seconds);
}
