#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "common/net/channels.h"
#include "coordinator/cli/command.h"
#include "tests/unit/temporary_folder.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;

// With a coordinator that nobody runs: who asks it ends with 9.
class ResultsExportTest : public ::testing::Test {
 protected:
  int ExportTo(const std::string& path) {
    CLI::App app{"a tool"};
    Chosen chosen;
    AddResultsCommand(app, chosen);
    app.parse("results export run-7 --coordinator unix:" + (folder_ / "s").string() + " --to " + path);
    return chosen();
  }

  const TemporaryFolder folder_;
};

TEST_F(ResultsExportTest, AFileThatCannotBeWrittenIsAWrongOptionBeforeAnythingIsAskedFor) {
  EXPECT_EQ(ExportTo((folder_ / "absent" / "x.json").string()), 2);
  EXPECT_EQ(ExportTo(folder_.path().string()), 2);
}

TEST_F(ResultsExportTest, AFileThatIsThereStaysAsItWasIfNothingCame) {
  std::ofstream(folder_ / "x.json") << "old";
  EXPECT_EQ(ExportTo((folder_ / "x.json").string()), 9);
  std::string held;
  std::ifstream(folder_ / "x.json") >> held;
  EXPECT_EQ(held, "old");
}

// Keeps one run, which goes on or has ended.
class OneRun final : public tutti::v1::RunService::Service {
 public:
  grpc::Status GetResult(grpc::ServerContext*, const tutti::v1::GetResultRequest* request,
                         tutti::v1::Result* response) override {
    without_intervals = request->without_intervals();
    response->set_run_id(request->run_id());
    response->set_status(status);
    response->set_exit_code(status == tutti::v1::RUN_STATUS_LIMIT_FAILED ? 4 : 0);
    return grpc::Status::OK;
  }

  tutti::v1::RunStatus status = tutti::v1::RUN_STATUS_RUNNING;
  bool without_intervals = false;  // as the last one asked
};

TEST_F(ResultsExportTest, IntervalsAreAskedForWhereTheyAreShown) {
  setenv("XDG_STATE_HOME", folder_.path().c_str(), 1);
  OneRun runs;
  runs.status = tutti::v1::RUN_STATUS_PASSED;
  const absl::StatusOr<net::Server> server =
      net::StartServer({.listen = {"unix:" + (folder_ / "s").string()}, .services = {&runs}});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto asks_without = [&](const std::string& command) {
    CLI::App app{"a tool"};
    Chosen chosen;
    AddResultsCommand(app, chosen);
    AddShowCommand(app, chosen);
    app.parse(command + " --coordinator unix:" + (folder_ / "s").string());
    runs.without_intervals = false;
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(chosen(), 0) << command;
    ::testing::internal::GetCapturedStdout();
    return runs.without_intervals;
  };
  for (const char* format : {"table", "netperf", "stream-test", "junit"}) {
    EXPECT_TRUE(asks_without(std::string("results show run-7 --format ") + format)) << format;
  }
  for (const char* format : {"json", "yaml", "csv", "csv:stream", "csv:interval"}) {
    EXPECT_FALSE(asks_without(std::string("results show run-7 --format ") + format)) << format;
  }
  EXPECT_TRUE(asks_without("results show run-7"));
  EXPECT_TRUE(asks_without("show run-7-of-nobody"));
  EXPECT_FALSE(asks_without("results show run-7 --detail"));
  EXPECT_FALSE(asks_without("results show run-7 --timeline"));
  EXPECT_FALSE(asks_without("show run-7-of-nobody --detail"));
  // It stands alone, whatever else is asked for.
  EXPECT_TRUE(asks_without("results show run-7 --detail --format junit"));
  EXPECT_FALSE(asks_without("results export run-7"));
  server->server->Shutdown();
  unsetenv("XDG_STATE_HOME");
}

TEST_F(ResultsExportTest, OfARunThatHasNotEndedWhatThereIsIsWrittenAndTheExitCodeIsNotThatOfSuccess) {
  OneRun runs;
  const absl::StatusOr<net::Server> server =
      net::StartServer({.listen = {"unix:" + (folder_ / "s").string()}, .services = {&runs}});
  ASSERT_TRUE(server.ok()) << server.status();
  ::testing::internal::CaptureStderr();
  const int running = ExportTo((folder_ / "x.json").string());
  const std::string complaint = ::testing::internal::GetCapturedStderr();
  std::stringstream held;
  held << std::ifstream(folder_ / "x.json").rdbuf();
  runs.status = tutti::v1::RUN_STATUS_LIMIT_FAILED;
  const int ended = ExportTo((folder_ / "x.json").string());
  server->server->Shutdown();
  EXPECT_EQ(running, 7);
  EXPECT_THAT(complaint, HasSubstr("run run-7 has not ended"));
  EXPECT_THAT(held.str(), HasSubstr("\"status\": \"running\""));
  // That is for who reads the file to judge.
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace tutti::cli
