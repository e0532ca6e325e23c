#include <poll.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kEvents[] = "/v1/runs/run-7/events";

class EventStreamTest : public ServerFixture {};

TEST_F(EventStreamTest, WhatIsKeptComesFirstThenWhatHappensThenTheEnd) {
  operations_.kept = {MakeCaseStarted(1)};
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", kEvents));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Type: text/event-stream\r\n"),
                    HasSubstr("Connection: close\r\n"), Not(HasSubstr("Content-Length"))));
  EXPECT_EQ(
      client.ReadUntil("\n\n"),
      "id: 1\nevent: case_started\n"
      "data: "
      "{\"event\":\"case_started\",\"run_id\":\"run-7\",\"at_unix_ns\":0,\"case_index\":0,\"cases\":8}\n\n");
  ASSERT_TRUE(operations_.WaitForWatchers(1));
  operations_.Emit(MakeInterval(2));
  EXPECT_THAT(client.ReadUntil("\n\n"), StartsWith("id: 2\nevent: interval\ndata: {"));
  operations_.Emit(MakeEnded(3));
  operations_.End();
  EXPECT_THAT(client.ReadToEnd(),
              AllOf(StartsWith("id: 3\nevent: ended\ndata: {"), HasSubstr("\"passed\""), EndsWith("}\n\n")));
  EXPECT_TRUE(operations_.WaitForWatchers(0));
}

TEST_F(EventStreamTest, AClientResumesBehindTheLastEventThatItHas) {
  operations_.kept = {MakeCaseStarted(1), MakeCaseStarted(2), MakeEnded(3)};
  operations_.ended = true;
  StartServer();
  BlockingClient browser(port());
  browser.Send(RequestText("GET", kEvents, {"Last-Event-ID: 2"}));
  browser.ReadUntil("\r\n\r\n");
  EXPECT_THAT(browser.ReadToEnd(), StartsWith("id: 3\nevent: ended\n"));
  EXPECT_EQ(operations_.last_asked(), "Watch {\"run_id\":\"run-7\",\"after_sequence\":2}");
  BlockingClient curl(port());
  curl.Send(RequestText("GET", std::string(kEvents) + "?after=1"));
  curl.ReadUntil("\r\n\r\n");
  EXPECT_THAT(curl.ReadToEnd(), StartsWith("id: 2\n"));
  // A browser that has everything is told to stay away.
  EXPECT_EQ(Ask("GET", kEvents, {"Last-Event-ID: 3"}).status, 204);
  EXPECT_EQ(Ask("GET", kEvents, {"Last-Event-ID: three"}).status, 400);
}

TEST_F(EventStreamTest, ARunThatIsNotThereIsNotFound) {
  StartServer();
  const HttpAnswer answer = Ask("GET", "/v1/runs/nobody/events");
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("no run \\\"nobody\\\""));
}

TEST_F(EventStreamTest, WhereNothingHappensTheHeadAndHeartbeatsCome) {
  options_.limits.stream_open = std::chrono::milliseconds(20);
  options_.limits.heartbeat = std::chrono::milliseconds(20);
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", kEvents));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
  EXPECT_EQ(client.ReadUntil("\n\n"), ":\n\n");
}

TEST_F(EventStreamTest, ChangesOfTheFleetAreEventsToo) {
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", "/v1/workers/events?after=4"));
  ASSERT_TRUE(operations_.WaitForWatchers(1));
  EXPECT_EQ(operations_.last_asked(), "WatchFleet {\"after_sequence\":4}");
  tutti::v1::FleetEvent event;
  event.set_sequence(5);
  event.set_worker("a");
  event.set_after(tutti::v1::WorkerInfo::STATE_LOST);
  operations_.EmitFleet(event);
  client.ReadUntil("\r\n\r\n");
  EXPECT_THAT(client.ReadUntil("\n\n"),
              AllOf(StartsWith("id: 5\nevent: worker\ndata: {"), HasSubstr("\"after\":\"lost\"")));
  event.Clear();
  event.set_sequence(8);
  event.set_resync(true);
  operations_.EmitFleet(event);
  EXPECT_THAT(client.ReadUntil("\n\n"), StartsWith("id: 8\nevent: resync\ndata: {"));
}

TEST_F(EventStreamTest, AClientThatIsGoneIsForgotten) {
  StartServer();
  {
    BlockingClient client(port());
    client.Send(RequestText("GET", kEvents));
    ASSERT_TRUE(operations_.WaitForWatchers(1));
  }
  EXPECT_TRUE(operations_.WaitForWatchers(0));
}

TEST_F(EventStreamTest, MoreStreamsThanAreTakenAreTurnedAwayAndOthersAnswered) {
  options_.limits.event_streams = 1;
  StartServer();
  BlockingClient client(port());
  client.Send(RequestText("GET", kEvents));
  ASSERT_TRUE(operations_.WaitForWatchers(1));
  EXPECT_EQ(Ask("GET", kEvents).status, 503);
  EXPECT_EQ(Ask("GET", "/healthz").status, 200);
}

TEST_F(EventStreamTest, TwoHundredReadersGetEverythingWhileOneReadsNothing) {
  constexpr size_t kReaders = 200;
  // Together more than the sockets of the silent one hold, however the kernel counts.
  constexpr uint64_t kLarge = 8;
  constexpr size_t kLargeBytes = 32 * 1024;
  options_.limits.stall = std::chrono::seconds(2);
  options_.limits.event_socket_bytes = 32 * 1024;
  StartServer();
  BlockingClient silent(port(), 4096);
  silent.Send(RequestText("GET", kEvents));
  std::vector<BlockingClient> readers;
  readers.reserve(kReaders);
  for (size_t i = 0; i < kReaders; ++i) {
    readers.emplace_back(port());
    readers.back().Send(RequestText("GET", kEvents));
  }
  ASSERT_TRUE(operations_.WaitForWatchers(kReaders + 1));
  for (uint64_t i = 1; i <= kLarge; ++i) operations_.Emit(MakeQueued(i, kLargeBytes));
  std::vector<std::string> received(kReaders);
  std::vector<pollfd> waits(kReaders);
  for (size_t i = 0; i < kReaders; ++i) waits[i] = {readers[i].fd(), POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  size_t open = kReaders;
  bool ended = false;
  while (open > 0 && std::chrono::steady_clock::now() < deadline) {
    ASSERT_GT(poll(waits.data(), waits.size(), 10'000), 0);
    for (size_t i = 0; i < kReaders; ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0 || readers[i].ReadAvailable(received[i])) continue;
      waits[i].fd = -1;
      --open;
    }
    const bool all = !ended && std::all_of(received.begin(), received.end(), [&](const std::string& text) {
      return text.size() > kLarge * kLargeBytes;  // some of the last one is there
    });
    if (!all) continue;
    // They end while the silent one is still waited for.
    ended = true;
    operations_.Emit(MakeEnded(kLarge + 1));
    operations_.End();
  }
  EXPECT_EQ(open, 0u);
  for (const std::string& text : received) {
    ASSERT_THAT(text, EndsWith("}\n\n"));
    ASSERT_NE(text.find("event: ended"), std::string::npos);
  }
  // And it is given up.
  EXPECT_TRUE(operations_.WaitForWatchers(0));
}

TEST_F(EventStreamTest, TheLastEventsArriveBeforeTheServerEnds) {
  StartServer();
  BlockingClient run(port());
  run.Send(RequestText("GET", kEvents));
  BlockingClient fleet(port());
  fleet.Send(RequestText("GET", "/v1/workers/events"));
  ASSERT_TRUE(operations_.WaitForWatchers(2));
  operations_.Emit(MakeEnded(1));
  operations_.End();
  server_ = nullptr;
  EXPECT_THAT(run.ReadToEnd(), HasSubstr("event: ended"));
  fleet.ReadToEnd();
  EXPECT_TRUE(operations_.WaitForWatchers(0));
}

}  // namespace
}  // namespace tutti::http
