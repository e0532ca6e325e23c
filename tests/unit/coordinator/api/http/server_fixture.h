// A server on a port of its own, in front of fake operations.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "coordinator/api/http/http_server.h"
#include "coordinator/report/document.h"
#include "tests/unit/coordinator/api/http/blocking_client.h"
#include "tests/unit/coordinator/api/http/fake_operations.h"

namespace tutti::http {

inline constexpr char kJson[] = "Content-Type: application/json";
inline constexpr char kYaml[] = "Content-Type: application/yaml";

class ServerFixture : public testing::Test {
 protected:
  // With `options_` as they are.
  void StartServer() {
    if (options_.listen.empty()) options_.listen = {"127.0.0.1:0"};
    auto server = HttpServer::Start(options_, operations_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  int port() const { return server_->bound()[0].port; }

  // On a connection of its own.
  HttpAnswer Ask(std::string_view method, std::string_view target,
                 const std::vector<std::string>& fields = {}, std::string_view body = {}) {
    return SendText(RequestText(method, target, fields, body), method == "HEAD");
  }
  HttpAnswer AskJson(std::string_view method, std::string_view target, std::string_view body) {
    return Ask(method, target, {"Content-Type: application/json"}, body);
  }
  HttpAnswer SendText(std::string_view text, bool head_only = false) {
    BlockingClient client(port());
    client.Send(text);
    return client.Read(head_only);
  }

  // The answer is an error's envelope.
  static void ExpectEnvelope(const HttpAnswer& answer, int status, const std::string& code) {
    EXPECT_EQ(answer.status, status) << answer.head << answer.body;
    EXPECT_EQ(answer.Field("Content-Type"), "application/json");
    const absl::StatusOr<report::Document> document = report::ParseDocument(answer.body);
    ASSERT_TRUE(document.ok()) << answer.body;
    ASSERT_EQ(document->keys, std::vector<std::string>{"error"}) << answer.body;
    const report::Document& error = document->items[0];
    ASSERT_EQ(error.keys, (std::vector<std::string>{"code", "message", "details"})) << answer.body;
    EXPECT_EQ(error.items[0].text, code);
    EXPECT_FALSE(error.items[1].text.empty());
    EXPECT_EQ(error.items[2].kind, report::Document::Kind::kList);
  }

  FakeOperations operations_;
  HttpOptions options_;
  std::unique_ptr<HttpServer> server_;
};

inline run::SharedEvent MakeCaseStarted(uint64_t sequence) {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->set_run_id(kRun);
  event->set_sequence(sequence);
  event->mutable_case_started()->set_cases(8);
  return event;
}
inline run::SharedEvent MakeInterval(uint64_t sequence) {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->set_run_id(kRun);
  event->set_sequence(sequence);
  event->mutable_interval()->set_interval(static_cast<uint32_t>(sequence));
  return event;
}
// With so many bytes of text in it.
inline run::SharedEvent MakeQueued(uint64_t sequence, size_t bytes) {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->set_run_id(kRun);
  event->set_sequence(sequence);
  event->mutable_queued()->add_waits_for(std::string(bytes, 'x'));
  return event;
}
inline run::SharedEvent MakeEnded(uint64_t sequence) {
  auto event = std::make_shared<tutti::v1::RunEvent>();
  event->set_run_id(kRun);
  event->set_sequence(sequence);
  event->mutable_ended()->set_status(tutti::v1::RUN_STATUS_PASSED);
  return event;
}

}  // namespace tutti::http
