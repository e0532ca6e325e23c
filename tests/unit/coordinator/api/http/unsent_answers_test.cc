// Readers of large answers that do not read.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/api/http/unsent_bytes.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(UnsentBytesTest, ABodyCountsUntilNobodyHoldsIt) {
  UnsentBytes unsent(100, 50, [] {});
  EXPECT_TRUE(unsent.HasRoom());
  UnsentBytes::Share first = unsent.Add(99);
  EXPECT_TRUE(unsent.HasRoom());
  UnsentBytes::Share second = unsent.Add(1);
  EXPECT_FALSE(unsent.HasRoom());
  const UnsentBytes::Share copy = second;
  second = nullptr;
  EXPECT_FALSE(unsent.HasRoom());
  first = nullptr;
  EXPECT_TRUE(unsent.HasRoom());
}

TEST(UnsentBytesTest, OnlyTheEndOfALargeBodyIsTold) {
  int told = 0;
  UnsentBytes unsent(100, 50, [&] { ++told; });
  unsent.Add(49);
  EXPECT_EQ(told, 0);
  const UnsentBytes::Share small = unsent.Add(1);
  UnsentBytes::Share large = unsent.Add(50);
  EXPECT_EQ(told, 0);
  large = nullptr;
  EXPECT_EQ(told, 1);
}

class UnsentAnswersTest : public ServerFixture {
 protected:
  // 8.0 MB as JSON, more than the sockets of both ends hold.
  void SetUp() override {
    for (int i = 0; i < 80; ++i) operations_.result.add_reasons(std::string(100'000, 'r'));
  }
  // The head of the answer; of the body no more than came with it is read.
  static HttpAnswer AskForResult(BlockingClient& client) {
    client.Send(RequestText("GET", "/v1/runs/run-7/result"));
    return client.Read(true);
  }
};

TEST_F(UnsentAnswersTest, WhoDoesNotReadHoldsABoundedAmountAndTheOthersAreToldToComeAgain) {
  options_.limits.unsent_bytes = 20'000'000;
  StartServer();
  std::vector<BlockingClient> clients;
  std::vector<HttpAnswer> answers;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(port(), 4096);
    answers.push_back(AskForResult(clients.back()));
  }
  // The third one was begun with 16 MB unsent.
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(answers[i].status, 200) << i;
  for (size_t i = 3; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].status, 503) << i;
    EXPECT_EQ(answers[i].Field("Retry-After"), "1") << i;
  }
  // Nobody has even looked for the results of those.
  EXPECT_EQ(operations_.asked().size(), 3u);
  // What is small is answered all the same.
  EXPECT_EQ(Ask("GET", "/v1/runs/run-7").status, 200);

  const HttpAnswer refused = Ask("GET", "/v1/runs/run-7/result");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("not read yet"));
  clients.clear();
  // Closed sockets are noticed by the server's next write.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  HttpAnswer again = refused;
  while (again.status == 503 && std::chrono::steady_clock::now() < deadline) {
    again = Ask("GET", "/v1/runs/run-7/result");
  }
  EXPECT_EQ(again.status, 200);
  EXPECT_GT(again.body.size(), 8'000'000u);
}

TEST_F(UnsentAnswersTest, AnAnswerThatIsLargerThanAllThereIsComesAlone) {
  options_.limits.unsent_bytes = 1'000'000;
  StartServer();
  BlockingClient silent(port(), 4096);
  EXPECT_EQ(AskForResult(silent).status, 200);
  EXPECT_EQ(Ask("GET", "/v1/runs/run-7/result").status, 503);
  EXPECT_EQ(Ask("HEAD", "/v1/runs/run-7/result").status, 503);
}

TEST_F(UnsentAnswersTest, HeadsHoldNothing) {
  options_.limits.unsent_bytes = 1'000'000;
  StartServer();
  BlockingClient client(port());
  for (int i = 0; i < 3; ++i) {
    client.Send(RequestText("HEAD", "/v1/runs/run-7/result"));
    EXPECT_EQ(client.Read(true).status, 200) << i;
  }
}

class UnsentEventsTest : public ServerFixture {
 protected:
  // More than the sockets of both ends hold.
  static constexpr size_t kLargeBytes = 8'000'000;

  // A reader of the run's events that has the head and reads no further.
  BlockingClient Watch(const std::vector<std::string>& fields = {}) {
    BlockingClient client(port(), 4096);
    client.Send(RequestText("GET", "/v1/runs/run-7/events", fields));
    return client;
  }
};

TEST_F(UnsentEventsTest, AnEventCountsOnceHoweverManyDoNotReadIt) {
  options_.limits.unsent_bytes = 20'000'000;
  operations_.kept = {MakeQueued(1, kLargeBytes)};
  StartServer();
  std::vector<BlockingClient> silent;
  for (int i = 0; i < 10; ++i) {
    silent.push_back(Watch());
    EXPECT_THAT(silent.back().ReadUntil("\r\n\r\n"), HasSubstr("200 OK")) << i;
  }
  EXPECT_EQ(Ask("GET", "/v1/runs/run-7/result").status, 200);
}

TEST_F(UnsentEventsTest, WhatReadersOfEventsDoNotReadIsNoRoomForAnswers) {
  options_.limits.unsent_bytes = 1'000'000;
  operations_.kept = {MakeQueued(1, kLargeBytes)};
  StartServer();
  BlockingClient silent = Watch();
  EXPECT_THAT(silent.ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  EXPECT_EQ(Ask("GET", "/v1/runs/run-7/result").status, 503);
}

TEST_F(UnsentEventsTest, AReaderWhoseLargeEventHasNoRoomIsToldAndResumes) {
  options_.limits.unsent_bytes = 1'000'000;
  operations_.kept = {MakeQueued(1, kLargeBytes), MakeCaseStarted(2), MakeQueued(3, 100'000)};
  StartServer();
  auto silent = std::make_unique<BlockingClient>(Watch());
  EXPECT_THAT(silent->ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  // It reads all that it is sent, and is told why that ends behind event 2.
  BlockingClient reader(port());
  reader.Send(RequestText("GET", "/v1/runs/run-7/events"));
  const std::string events = reader.ReadToEnd();
  EXPECT_THAT(events, HasSubstr("\nid: 2\n"));
  EXPECT_THAT(events, Not(HasSubstr("\nid: 3\n")));
  const size_t refused = events.find("\n\nevent: refused\ndata: {\"error\":{\"code\":\"unavailable\"");
  ASSERT_NE(refused, std::string::npos);
  EXPECT_THAT(events.substr(refused), AllOf(HasSubstr("Last-Event-ID"), EndsWith("}\n\n")));
  // Before it has had anything there is a status for that.
  const HttpAnswer again = Ask("GET", "/v1/runs/run-7/events", {"Last-Event-ID: 2"});
  EXPECT_EQ(again.status, 503);
  EXPECT_EQ(again.Field("Retry-After"), "1");
  silent = nullptr;
  ASSERT_TRUE(operations_.WaitForWatchers(0));
  BlockingClient resumed(port());
  resumed.Send(RequestText("GET", "/v1/runs/run-7/events", {"Last-Event-ID: 2"}));
  EXPECT_THAT(resumed.ReadUntil("\r\n\r\n"), HasSubstr("200 OK"));
  EXPECT_THAT(resumed.ReadUntil("\n\n"), StartsWith("id: 3\nevent: queued\n"));
}

}  // namespace
}  // namespace tutti::http
