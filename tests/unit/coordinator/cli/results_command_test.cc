#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

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
    response->set_run_id(request->run_id());
    response->set_status(status);
    response->set_exit_code(status == tutti::v1::RUN_STATUS_LIMIT_FAILED ? 4 : 0);
    return grpc::Status::OK;
  }

  tutti::v1::RunStatus status = tutti::v1::RUN_STATUS_RUNNING;
};

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
