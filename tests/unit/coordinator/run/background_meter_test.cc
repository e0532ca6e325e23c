#include "coordinator/run/background_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/sync/executor.h"
#include "common/version/version.h"
#include "tests/unit/coordinator/fleet/fake_link.h"

namespace tutti::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kRequest = 7;

// One machine, m1, that host a reads.
class BackgroundMeterTest : public testing::Test {
 protected:
  BackgroundMeterTest() : fleet_(executor_, {}) {
    tutti::v1::Hello hello;
    hello.set_protocol_version(kProtocolVersion);
    hello.set_name("a");
    hello.set_incarnation(1);
    fleet_.HandleHello(std::make_shared<fleet::FakeLink>(), std::move(hello));
    meter_ = std::make_unique<BackgroundMeter>(
        executor_, fleet_, std::map<std::string, std::string>{{"m1", "a"}}, kRequest,
        [this](std::map<std::string, double> busy) { busy_ = std::move(busy); });
    meter_->Start();
  }

  // Two CPUs, one of which is idle for 600 of 1000 ms and the other for 900: half a core is busy.
  static tutti::v1::BackgroundReading Honest() {
    tutti::v1::BackgroundReading reading;
    reading.set_request_id(kRequest);
    reading.mutable_begin()->set_host_ns(5'000 * static_cast<int64_t>(kMs));
    reading.mutable_end()->set_host_ns(6'000 * static_cast<int64_t>(kMs));
    for (uint32_t cpu = 0; cpu < 2; ++cpu) {
      Add(*reading.mutable_begin(), cpu, 1'000 * kMs);
      Add(*reading.mutable_end(), cpu, (cpu == 0 ? 1'600 : 1'900) * kMs);
    }
    return reading;
  }
  static void Add(tutti::v1::CpuReading& reading, uint32_t cpu, uint64_t idle_ns) {
    tutti::v1::CpuTimes& times = *reading.add_cpus();
    times.set_cpu(cpu);
    times.set_idle_ns(idle_ns);
  }
  // What the run is told; nullopt: nothing.
  std::optional<std::map<std::string, double>> Told(const tutti::v1::BackgroundReading& reading) {
    meter_->OnReading("a", reading);
    executor_.RunReady();
    return busy_;
  }

  ManualExecutor executor_;
  fleet::Fleet fleet_;
  std::unique_ptr<BackgroundMeter> meter_;
  std::optional<std::map<std::string, double>> busy_;
};

TEST_F(BackgroundMeterTest, BusyIsWhatWasNotIdle) {
  const auto told = Told(Honest());
  ASSERT_TRUE(told.has_value());
  EXPECT_THAT(*told, ElementsAre(Pair("m1", testing::DoubleEq(0.5))));
}

TEST_F(BackgroundMeterTest, ReadingsOfAnotherRequestOrHostAreNotHeard) {
  tutti::v1::BackgroundReading reading = Honest();
  reading.set_request_id(kRequest + 1);
  EXPECT_FALSE(Told(reading).has_value());
  meter_->OnReading("b", Honest());
  executor_.RunReady();
  EXPECT_FALSE(busy_.has_value());
}

TEST_F(BackgroundMeterTest, WhoDoesNotAnswerInTimeIsNotWaitedFor) {
  executor_.AdvanceBy(BackgroundMeter::kDurationNs + BackgroundMeter::kAnswerNs);
  ASSERT_TRUE(busy_.has_value());
  EXPECT_THAT(*busy_, IsEmpty());
}

struct Spoilt {
  const char* how;
  void (*spoil)(tutti::v1::BackgroundReading& reading);
};

class SpoiltReadingTest : public BackgroundMeterTest, public testing::WithParamInterface<Spoilt> {};

// A reading that cannot be true leaves the machine without a figure: not with 0, and not with all of its
// CPUs.
TEST_P(SpoiltReadingTest, LeavesNoFigure) {
  tutti::v1::BackgroundReading reading = Honest();
  GetParam().spoil(reading);
  const auto told = Told(reading);
  ASSERT_TRUE(told.has_value());
  EXPECT_THAT(*told, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SpoiltReadingTest,
    testing::Values(
        Spoilt{"NoCpus", [](tutti::v1::BackgroundReading& r) { r.mutable_end()->clear_cpus(); }},
        Spoilt{"OtherCpus",
               [](tutti::v1::BackgroundReading& r) {
                 for (auto& cpu : *r.mutable_end()->mutable_cpus()) cpu.set_cpu(cpu.cpu() + 8);
               }},
        Spoilt{"ACpuTwice",
               [](tutti::v1::BackgroundReading& r) { r.mutable_end()->mutable_cpus(1)->set_cpu(0); }},
        Spoilt{"NoTime",
               [](tutti::v1::BackgroundReading& r) { r.mutable_end()->set_host_ns(r.begin().host_ns()); }},
        Spoilt{
            "TimeGoesBack",
            [](tutti::v1::BackgroundReading& r) { r.mutable_end()->set_host_ns(r.begin().host_ns() - 1); }},
        Spoilt{"TimeOfNoClock",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_begin()->set_host_ns(INT64_MIN);
                 r.mutable_end()->set_host_ns(INT64_MAX);
               }},
        Spoilt{"TooShort",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_end()->set_host_ns(r.begin().host_ns() + 400'000'000);
               }},
        Spoilt{"TooLong",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_end()->set_host_ns(r.begin().host_ns() + 4'000'000'000);
               }},
        Spoilt{"IdleGoesBack",
               [](tutti::v1::BackgroundReading& r) { r.mutable_end()->mutable_cpus(0)->set_idle_ns(0); }},
        Spoilt{"IdleGrowsFasterThanTime",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_end()->mutable_cpus(0)->set_idle_ns(5'000 * kMs);  // 4 s in 1 s
               }},
        Spoilt{"IdleBeyondInt64",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_end()->mutable_cpus(0)->set_idle_ns(UINT64_MAX);
               }},
        Spoilt{"StealBeyondInt64",
               [](tutti::v1::BackgroundReading& r) {
                 r.mutable_end()->mutable_cpus(0)->set_steal_ns(uint64_t{1} << 63);
               }},
        Spoilt{"Nothing",
               [](tutti::v1::BackgroundReading& r) {
                 r.clear_begin();
                 r.clear_end();
               }}),
    [](const testing::TestParamInfo<Spoilt>& info) { return std::string(info.param.how); });

TEST_F(BackgroundMeterTest, IdleThatGoesBackByATickIsTheKernelsRounding) {
  tutti::v1::BackgroundReading reading = Honest();
  // The first CPU was busy all the time, and its idle column was 10 ms ahead.
  reading.mutable_end()->mutable_cpus(0)->set_idle_ns(990 * kMs);
  const auto told = Told(reading);
  ASSERT_TRUE(told.has_value());
  EXPECT_THAT(*told, ElementsAre(Pair("m1", testing::DoubleEq(1.1))));
}

}  // namespace
}  // namespace tutti::run
