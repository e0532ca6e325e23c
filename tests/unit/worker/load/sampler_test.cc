#include "worker/load/sampler.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/worker/load/two_ends.h"

namespace tutti::load {
namespace {

// Notes when the sampler comes to what it reads behind the counters.
class WatchedStream final : public Stream {
 public:
  WatchedStream(StreamConfig config, const WindowGrid& grid, const TrialClock& clock)
      : Stream(std::move(config), grid), clock_(clock) {}
  absl::Status Prepare() override { return absl::OkStatus(); }
  void Run(const TrialClock&, const TrialControl&, bool) override {}
  void ReadTcp(Edge&, size_t) const override { tcp_read_ns_.push_back(clock_.NowNs()); }

  const std::vector<int64_t>& tcp_read_ns() const { return tcp_read_ns_; }

 private:
  const TrialClock clock_;
  mutable std::vector<int64_t> tcp_read_ns_;
};

// Rates are bytes over the time between two edges: TCP_INFO may wait for a socket's lock and is not in it.
TEST(Sampler, AnEdgeIsTheInstantOfItsByteCountersAlone) {
  const WindowGrid grid({.warmup_ns = 0, .measure_ns = 3 * kMs, .cooldown_ns = 0, .interval_ns = 1 * kMs});
  const SlewedMapping identity{ClockMapping()};
  const TrialClock clock(identity, identity.Convert(SystemClock::Get().Now()), 0);
  std::vector<std::unique_ptr<Stream>> streams;
  streams.push_back(std::make_unique<WatchedStream>(End(1, Side::kSend, Protocol::kNull, 1), grid, clock));
  const auto& watched = static_cast<const WatchedStream&>(*streams[0]);
  const std::vector<LoadThread> threads(1);
  std::vector<Edge> edges;
  Sampler sampler(grid, streams, threads, {0});
  sampler.set_on_edge([&edges](const Edge& edge) { edges.push_back(edge); });
  TrialControl control(1);
  ASSERT_TRUE(control.Open().ok());
  sampler.Run(clock, control);
  ASSERT_THAT(edges, ::testing::SizeIs(4));
  ASSERT_THAT(watched.tcp_read_ns(), ::testing::SizeIs(4));
  for (size_t i = 0; i < edges.size(); ++i) {
    EXPECT_LE(edges[i].due_trial_ns, edges[i].begin_trial_ns);
    EXPECT_LE(edges[i].begin_trial_ns, edges[i].end_trial_ns);
    EXPECT_LE(edges[i].end_trial_ns, watched.tcp_read_ns()[i]);
  }
}

}  // namespace
}  // namespace tutti::load
