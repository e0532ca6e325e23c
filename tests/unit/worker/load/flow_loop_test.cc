#include "worker/load/flow_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "common/time/slewed_mapping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/nanoseconds.h"

namespace tutti::load {
namespace {

using ::testing::ElementsAre;

// A flow whose turns the test writes, on an event that the test makes ready.
class ScriptedFlow final : public Flow {
 public:
  using Script = std::function<Turn(int64_t now_ns)>;

  ScriptedFlow(bool sends, Script script)
      : sends_(sends), script_(std::move(script)), event_(eventfd(0, EFD_NONBLOCK)) {}

  int watched_fd() const override { return event_.get(); }
  bool is_sender() const override { return sends_; }
  uint64_t first_turn_bytes() const override { return 0; }
  Turn TakeTurn(const TrialClock&, int64_t now_ns) override { return script_(now_ns); }

  void EndTurns(const TrialClock&) override { ++ends_; }
  int ends() const { return ends_; }

  void MakeReadable() const {
    const uint64_t one = 1;
    EXPECT_EQ(write(event_.get(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  }

 private:
  const bool sends_;
  const Script script_;
  const FileDescriptor event_;
  int ends_ = 0;
};

constexpr Turn kOver{Turn::Then::kOver};

// The loop of `flows` from 5 ms before T0 to the end; returns the flows in the order in which they ended.
class Running {
 public:
  explicit Running(std::vector<Flow*> flows, int64_t stop_ns = 3'600'000 * kMs)
      : mapping_(ClockMapping()),
        clock_(mapping_, TimelineTime{MonotonicNowNs() + 5 * kMs}, 0),
        control_(1),
        loop_(std::move(flows), stop_ns) {
    EXPECT_TRUE(control_.Open().ok());
    EXPECT_TRUE(loop_.Open(control_).ok());
    EXPECT_TRUE(loop_.Watch().ok());
  }

  std::vector<size_t> ToTheEnd() {
    std::vector<size_t> over;
    loop_.Run(clock_, control_, false, [&over](size_t flow) { over.push_back(flow); });
    return over;
  }
  FlowLoop& loop() { return loop_; }
  TrialControl& control() { return control_; }

 private:
  SlewedMapping mapping_;
  TrialClock clock_;
  TrialControl control_;
  FlowLoop loop_;
};

TEST(FlowLoop, SendersStartAtT0AndTakeTurns) {
  std::vector<std::pair<int, int64_t>> turns;
  int left = 6;
  const auto script = [&](int flow) {
    return [&turns, &left, flow](int64_t now_ns) {
      turns.emplace_back(flow, now_ns);
      return --left < 2 ? kOver : Turn{Turn::Then::kAgain};
    };
  };
  ScriptedFlow a(true, script(0));
  ScriptedFlow b(true, script(1));
  EXPECT_THAT(Running({&a, &b}).ToTheEnd(), ElementsAre(0, 1));
  ASSERT_EQ(turns.size(), 6u);
  EXPECT_GE(turns.front().second, 0);
  for (size_t i = 0; i < turns.size(); ++i) EXPECT_EQ(turns[i].first, static_cast<int>(i % 2));
}

TEST(FlowLoop, AFlowThatWaitsForAnInstantIsNotServedBeforeIt) {
  std::vector<int64_t> turns;
  ScriptedFlow paced(true, [&](int64_t now_ns) {
    turns.push_back(now_ns);
    const auto next = static_cast<int64_t>(turns.size()) * 2 * kMs;
    return turns.size() == 4 ? kOver : Turn{Turn::Then::kAt, next};
  });
  Running({&paced}).ToTheEnd();
  ASSERT_EQ(turns.size(), 4u);
  for (size_t i = 0; i < turns.size(); ++i) EXPECT_GE(turns[i], static_cast<int64_t>(i) * 2 * kMs);
}

TEST(FlowLoop, AReceiverHasItsTurnWhenThereIsSomethingToRead) {
  ScriptedFlow receiver(false, [](int64_t) { return kOver; });
  ScriptedFlow sender(true, [&receiver](int64_t now_ns) {
    if (now_ns < 1 * kMs) return Turn{Turn::Then::kAt, 1 * kMs};
    receiver.MakeReadable();
    return kOver;
  });
  EXPECT_THAT(Running({&receiver, &sender}).ToTheEnd(), ElementsAre(1, 0));
}

TEST(FlowLoop, AllHaveATurnWhenTheCoolDownIsOver) {
  int64_t ended_ns = 0;
  ScriptedFlow blocked(true, [&](int64_t now_ns) {
    ended_ns = now_ns;
    return now_ns < 10 * kMs ? Turn{Turn::Then::kAt, 1'000'000 * kMs} : kOver;
  });
  Running({&blocked}, 10 * kMs).ToTheEnd();
  EXPECT_GE(ended_ns, 10 * kMs);
}

TEST(FlowLoop, TheOrderToDrainReachesReceiversThatHearNothing) {
  std::atomic<bool> ordered = false;
  ScriptedFlow receiver(false, [&](int64_t) { return ordered ? kOver : Turn{Turn::Then::kSocket}; });
  Running running({&receiver});
  std::thread driver([&] {
    ordered = true;
    running.loop().Drain();
  });
  EXPECT_THAT(running.ToTheEnd(), ElementsAre(0));
  driver.join();
}

TEST(FlowLoop, EndsAtOnceWhenTheTrialStops) {
  ScriptedFlow receiver(false, [](int64_t) { return Turn{Turn::Then::kSocket}; });
  Running running({&receiver});
  std::thread driver([&] { running.control().Abort(); });
  EXPECT_THAT(running.ToTheEnd(), ::testing::IsEmpty());
  driver.join();
  EXPECT_EQ(receiver.ends(), 0);  // its socket is reset
}

TEST(FlowLoop, EachFlowIsEndedOnceAlsoWhenTheTrialFinishesEarly) {
  ScriptedFlow waiting(false, [](int64_t) { return Turn{Turn::Then::kSocket}; });
  ScriptedFlow over(true, [](int64_t) { return kOver; });
  Running running({&waiting, &over});
  std::thread driver([&] { running.control().Finish(); });
  running.ToTheEnd();
  driver.join();
  EXPECT_EQ(waiting.ends(), 1);
  EXPECT_EQ(over.ends(), 1);
}

}  // namespace
}  // namespace tutti::load
