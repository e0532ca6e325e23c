// Readers of large answers that do not read.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/api/http/unsent_bytes.h"
#include "tests/unit/coordinator/api/http/server_fixture.h"

namespace tutti::http {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace tutti::http
