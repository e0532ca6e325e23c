#include "coordinator/fleet/fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fleet_fixture.h"

namespace tutti::fleet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using tutti::v1::Hello;
using tutti::v1::WorkerInfo;
using tutti::v1::WorkerMessage;

class EventRecorder final : public WorkerListener {
 public:
  void OnWorkerMessage(const std::string& worker, WorkerMessage message) override {
    events.push_back(worker + " says " + std::to_string(message.body_case()));
  }
  void OnWorkerLost(const std::string& worker, const std::string& reason) override {
    events.push_back(worker + " lost");
    last_reason = reason;
  }
  void OnWorkerRegistered(const std::string& worker) override { events.push_back(worker + " registered"); }
  std::vector<std::string> events;
  std::string last_reason;
};

class FleetTest : public FleetFixture {
 protected:
  // The worker answers the probe that it was sent last.
  void Answer(const FakeLink& link, int64_t probe_sent_ns) {
    WorkerMessage message;
    message.mutable_clock_reply()->set_sequence(link.probes.back());
    message.mutable_clock_reply()->set_probe_sent_timeline_ns(probe_sent_ns);
    message.mutable_clock_reply()->set_received_host_ns(500);
    message.mutable_clock_reply()->set_sent_host_ns(500);
    fleet_.HandleMessage(&link, message, {executor_.NowNs()});
  }
  void Beat(const FakeLink& link) {
    WorkerMessage message;
    message.mutable_heartbeat();
    fleet_.HandleMessage(&link, message, {executor_.NowNs()});
  }
  // Lets time pass in which the worker is heard.
  void Pass(const FakeLink& link, int64_t ns) {
    for (int64_t passed = 0; passed < ns; passed += 50 * kMs) {
      executor_.AdvanceBy(50 * kMs);
      Beat(link);
    }
  }
  WorkerInfo Info(const std::string& name) const {
    for (const WorkerInfo& info : fleet_.Snapshot()) {
      if (info.name() == name) return info;
    }
    return {};
  }
};

TEST_F(FleetTest, AHelloThatWouldFillTheMemoryIsRefused) {
  Hello hello = MakeHello("a");
  (*hello.mutable_labels())["rack"] = std::string(64 * 1024, 'x');
  EXPECT_TRUE(Dial(hello)->registered());
  Hello large = MakeHello("b");
  (*large.mutable_labels())["rack"] = std::string(1024 * 1024, 'x');
  const auto link = Dial(large);
  EXPECT_THAT(link->refusal(), AllOf(HasSubstr("worker \"b\" tells"), HasSubstr("at most 1048576")));
  EXPECT_TRUE(link->closed);
  EXPECT_EQ(fleet_.Members().size(), 1u);
}

TEST_F(FleetTest, ARefusalShowsOnlyWhatALineCanHold) {
  Hello hello = MakeHello("a");
  hello.set_protocol_version(kProtocolVersion + 1);
  hello.mutable_facts()->set_tutti_version("9\nERROR forged" + std::string(64 * 1024, 'x'));
  const std::string refusal = Dial(hello)->refusal();
  EXPECT_THAT(refusal, HasSubstr("9\\nERROR forged"));
  EXPECT_EQ(refusal.find('\n'), std::string::npos);
  EXPECT_LT(refusal.size(), 500u);
}

TEST_F(FleetTest, AWorkerIsRegisteredWithTheLease) {
  const auto link = Dial(MakeHello("a"));
  ASSERT_TRUE(link->registered());
  EXPECT_EQ(link->sent[0].registered().lease_ns(), kLeaseNs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
  EXPECT_EQ(Info("a").peer(), "ipv4:10.0.0.1:4000");
  EXPECT_FALSE(Info("a").has_clock_offset_ns());
}

TEST_F(FleetTest, AWorkerIsListedWithTheAddressByWhichItReachesTheCoordinator) {
  Hello hello = MakeHello("a");
  hello.set_control_address("127.0.0.1");
  const auto link = Dial(hello);
  EXPECT_EQ(Info("a").control_address(), "127.0.0.1");
}

TEST_F(FleetTest, RegistrationIsFollowedByABurstOfProbesThenOneEach200Ms) {
  const auto link = Dial(MakeHello("a"));
  executor_.AdvanceBy(15 * 3 * kMs);
  EXPECT_EQ(link->probes.size(), 16u);
  executor_.AdvanceBy(400 * kMs);
  EXPECT_EQ(link->probes.size(), 18u);
}

TEST_F(FleetTest, AnsweredProbesGiveTheClock) {
  const auto link = Dial(MakeHello("a"));
  const int64_t sent_ns = executor_.NowNs();
  executor_.AdvanceBy(2 * kMs);
  Answer(*link, sent_ns);
  const WorkerInfo info = Info("a");
  // The host's 500 lies in the middle of the exchange, 1 ms after the probe; half the round trip is the
  // bound.
  EXPECT_NEAR(static_cast<double>(info.clock_offset_ns()), static_cast<double>(sent_ns + kMs - 500), 1000);
  EXPECT_NEAR(static_cast<double>(info.clock_bound_ns()), 1.0 * kMs, 3000);
  EXPECT_NEAR(static_cast<double>(info.clock_round_trip_ns()), 2.0 * kMs, 10);
}

TEST_F(FleetTest, TheWorstRoundTripIsThatOfTheLastSixteenReplies) {
  const auto link = Dial(MakeHello("a"));
  EXPECT_EQ(fleet_.WorstRoundTripNs("a"), 0);
  Answer(*link, executor_.NowNs() - 40 * kMs);
  Answer(*link, executor_.NowNs() - kMs);
  EXPECT_EQ(fleet_.WorstRoundTripNs("a"), 40 * kMs);
  for (int i = 0; i < 15; ++i) Answer(*link, executor_.NowNs() - kMs);
  EXPECT_EQ(fleet_.WorstRoundTripNs("a"), kMs);
  EXPECT_EQ(fleet_.WorstRoundTripNs("nobody"), 0);
}

TEST_F(FleetTest, AnotherProtocolVersionIsRefusedWithBothVersions) {
  Hello hello = MakeHello("a");
  hello.set_protocol_version(kProtocolVersion + 1);
  hello.mutable_facts()->set_tutti_version("9.9.9");
  const auto link = Dial(hello);
  EXPECT_THAT(link->refusal(), AllOf(HasSubstr("protocol " + std::to_string(kProtocolVersion + 1)),
                                     HasSubstr("protocol " + std::to_string(kProtocolVersion)),
                                     HasSubstr("9.9.9"), HasSubstr(kVersion)));
  EXPECT_FALSE(link->sent.back().refused().retry());
  EXPECT_TRUE(link->closed);
  EXPECT_THAT(fleet_.Snapshot(), IsEmpty());
}

TEST_F(FleetTest, NamesThatCouldNotBeWrittenAreRefused) {
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("a/b"), std::string(65, 'x'), std::string("\xff")}) {
    EXPECT_FALSE(Dial(MakeHello(name))->refusal().empty()) << name;
  }
  EXPECT_TRUE(Dial(MakeHello(std::string(64, 'x')))->registered());
  EXPECT_TRUE(Dial(MakeHello("rack-1_node.7"))->registered());
}

TEST_F(FleetTest, ASecondLiveWorkerOfOneMachineIsRefused) {
  const auto first = Dial(MakeHello("a", 1));
  executor_.AdvanceBy(kMs);
  const auto second = Dial(MakeHello("a", 2), "ipv4:10.0.0.1:4001");
  EXPECT_TRUE(second->sent.empty());  // the first is asked
  const int64_t probe_ns = executor_.NowNs() + kMs;
  executor_.AdvanceBy(3 * kMs);
  Answer(*first, probe_ns);
  EXPECT_THAT(second->refusal(), AllOf(HasSubstr("name in use"), HasSubstr("same machine"),
                                       HasSubstr("--name"), HasSubstr("10.0.0.1:4000")));
  EXPECT_FALSE(second->sent.back().refused().retry());
  EXPECT_FALSE(first->broken);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
}

TEST_F(FleetTest, AnAnswerToAnEarlierProbeProvesNothing) {
  const auto first = Dial(MakeHello("a", 1));
  const int64_t early_ns = executor_.NowNs();
  executor_.AdvanceBy(kMs);
  const auto second = Dial(MakeHello("a", 2));
  Answer(*first, early_ns);
  EXPECT_TRUE(second->sent.empty());
}

TEST_F(FleetTest, TheSameNameFromAnotherMachineIsRefused) {
  const auto first = Dial(MakeHello("a", 1, "boot-1"));
  const auto second = Dial(MakeHello("a", 2, "boot-2"));
  executor_.AdvanceBy(4 * kMs);
  Answer(*first, executor_.NowNs());
  EXPECT_THAT(second->refusal(), AllOf(HasSubstr("another machine"), HasSubstr("--name")));
}

TEST_F(FleetTest, ARestartedWorkerReplacesTheOneWhoseSessionBroke) {
  const auto first = Dial(MakeHello("a", 1));
  fleet_.HandleClosed(first.get(), "its session broke");
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_LOST);
  EXPECT_THAT(Info("a").state_reason(), HasSubstr("session broke"));
  const auto second = Dial(MakeHello("a", 2));
  EXPECT_TRUE(second->registered());
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
  EXPECT_FALSE(Info("a").has_clock_offset_ns());
}

TEST_F(FleetTest, ARestartedWorkerReplacesOneThatIsSilent) {
  const auto first = Dial(MakeHello("a", 1));
  EventRecorder listener;
  fleet_.Assign({"a"}, "run-1", &listener);
  const auto second = Dial(MakeHello("a", 2));
  executor_.AdvanceBy(999 * kMs);
  EXPECT_FALSE(second->registered());
  executor_.AdvanceBy(2 * kMs);
  EXPECT_TRUE(second->registered());
  EXPECT_TRUE(first->broken);
  EXPECT_THAT(listener.events, ElementsAre("a lost", "a registered"));
}

TEST_F(FleetTest, ARestartedWorkerReplacesOneThatBreaksWhileItIsAsked) {
  const auto first = Dial(MakeHello("a", 1));
  const auto second = Dial(MakeHello("a", 2));
  fleet_.HandleClosed(first.get(), "its session broke");
  EXPECT_TRUE(second->registered());
}

TEST_F(FleetTest, TheSameProcessThatDialsAgainReplacesItself) {
  const auto first = Dial(MakeHello("a", 1));
  Answer(*first, executor_.NowNs());
  EventRecorder listener;
  fleet_.Assign({"a"}, "run-1", &listener);
  const auto second = Dial(MakeHello("a", 1));
  EXPECT_TRUE(second->registered());
  EXPECT_TRUE(first->broken);
  EXPECT_THAT(listener.events, ElementsAre("a lost", "a registered"));
  EXPECT_FALSE(Info("a").has_clock_offset_ns());  // measured anew
  // What the old session still delivers belongs to nobody.
  fleet_.HandleClosed(first.get(), "late");
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_BUSY);
}

TEST_F(FleetTest, TheFirstOfTwoClaimantsGetsTheNameTheOtherIsRefused) {
  const auto first = Dial(MakeHello("a", 1));
  const auto second = Dial(MakeHello("a", 2));
  const auto third = Dial(MakeHello("a", 3));
  fleet_.HandleClosed(first.get(), "gone");
  EXPECT_TRUE(second->registered());
  EXPECT_TRUE(third->sent.empty());
  executor_.AdvanceBy(kMs);
  Answer(*second, executor_.NowNs());
  EXPECT_THAT(third->refusal(), HasSubstr("name in use"));
}

TEST_F(FleetTest, AClaimantThatGoesIsForgotten) {
  const auto first = Dial(MakeHello("a", 1));
  const auto second = Dial(MakeHello("a", 2));
  fleet_.HandleClosed(second.get(), "gone");
  executor_.AdvanceBy(1100 * kMs);
  EXPECT_TRUE(second->sent.empty());
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
}

TEST_F(FleetTest, AWorkerThatIsSilentLongerThanTheLeaseIsLost) {
  const auto link = Dial(MakeHello("a"));
  EventRecorder listener;
  fleet_.Assign({"a"}, "run-1", &listener);
  executor_.AdvanceBy(kLeaseNs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_BUSY);
  executor_.AdvanceBy(200 * kMs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_LOST);
  EXPECT_THAT(Info("a").state_reason(), HasSubstr("lease 2s"));
  EXPECT_THAT(listener.events, ElementsAre("a lost"));
  EXPECT_TRUE(link->broken);
  EXPECT_FALSE(fleet_.Send("a", {}));
  EXPECT_FALSE(fleet_.Mapping("a").has_value());
}

TEST_F(FleetTest, AWorkerThatIsHeardStays) {
  const auto link = Dial(MakeHello("a"));
  Pass(*link, 10 * kLeaseNs);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
}

TEST_F(FleetTest, MessagesGoToTheRunThatHoldsTheWorker) {
  const auto link = Dial(MakeHello("a"));
  WorkerMessage message;
  message.mutable_armed()->set_trial_id(7);
  fleet_.HandleMessage(link.get(), message, {executor_.NowNs()});  // nobody's
  EventRecorder listener;
  fleet_.Assign({"a"}, "run-1", &listener);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_BUSY);
  EXPECT_EQ(Info("a").run_id(), "run-1");
  fleet_.HandleMessage(link.get(), message, {executor_.NowNs()});
  Beat(*link);
  fleet_.Release({"a"});
  fleet_.HandleMessage(link.get(), message, {executor_.NowNs()});
  EXPECT_THAT(listener.events, ElementsAre("a says " + std::to_string(WorkerMessage::kArmed)));
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_IDLE);
}

TEST_F(FleetTest, ASecondHelloWithinASessionEndsIt) {
  const auto link = Dial(MakeHello("a"));
  WorkerMessage message;
  *message.mutable_hello() = MakeHello("b");
  fleet_.HandleMessage(link.get(), message, {executor_.NowNs()});
  EXPECT_TRUE(link->broken);
  EXPECT_EQ(Info("a").state(), WorkerInfo::STATE_LOST);
}

TEST_F(FleetTest, ARefreshIsDoneWhenEveryWorkerHasAnsweredItsBurst) {
  const auto a = Dial(MakeHello("a"));
  const auto b = Dial(MakeHello("b"));
  Pass(*a, 300 * kMs);
  Beat(*b);
  int done = 0;
  fleet_.RefreshClocks({"a", "b"}, [&] { ++done; });
  const int64_t sent_ns = executor_.NowNs();
  executor_.AdvanceBy(45 * kMs);
  Answer(*a, sent_ns);
  executor_.RunReady();
  EXPECT_EQ(done, 0);
  Answer(*b, sent_ns);
  executor_.RunReady();
  EXPECT_EQ(done, 1);
}

TEST_F(FleetTest, ARefreshEndsWithoutAWorkerThatIsLostOrSilent) {
  const auto a = Dial(MakeHello("a"));
  Dial(MakeHello("b"));
  int done = 0;
  fleet_.RefreshClocks({"a"}, [&] { ++done; });
  fleet_.HandleClosed(a.get(), "gone");
  executor_.RunReady();
  EXPECT_EQ(done, 1);
  fleet_.RefreshClocks({"a", "b", "never-seen"}, [&] { ++done; });
  executor_.AdvanceBy(499 * kMs);
  EXPECT_EQ(done, 1);
  executor_.AdvanceBy(2 * kMs);
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace tutti::fleet
