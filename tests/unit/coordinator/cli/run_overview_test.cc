#include "coordinator/cli/run_overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/coordinator/cli/refusing_client.h"

namespace tutti::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The newest run first, as a coordinator lists them.
class ListingClient final : public RefusingClient {
 public:
  absl::StatusOr<tutti::v1::ListRunsResponse> ListRuns(const tutti::v1::ListRunsRequest& request) override {
    if (!status.ok()) return status;
    tutti::v1::ListRunsResponse response;
    for (const std::string& id : request.status() == tutti::v1::RUN_STATUS_RUNNING ? going_on : all) {
      if (response.runs_size() == static_cast<int>(request.page_runs())) break;
      response.add_runs()->set_run_id(id);
    }
    return response;
  }
  absl::StatusOr<tutti::v1::RunInfo> GetRun(const std::string& run_id) override {
    if (removed.count(run_id) > 0) return absl::NotFoundError("no run " + run_id);
    tutti::v1::RunInfo run;
    run.mutable_summary()->set_run_id(run_id);
    return run;
  }

  absl::Status status;
  std::vector<std::string> going_on;
  std::vector<std::string> all;
  std::set<std::string> removed;
};

std::vector<std::string> Ids(const absl::StatusOr<std::vector<tutti::v1::RunInfo>>& runs) {
  std::vector<std::string> ids;
  for (const tutti::v1::RunInfo& run : *runs) ids.push_back(run.summary().run_id());
  return ids;
}

TEST(RunsThatMatterTest, AreThoseThatWaitOrRunTheFirstSubmittedInFront) {
  ListingClient client;
  client.going_on = {"run-9", "run-8"};
  client.all = {"run-9", "run-8", "run-7"};
  EXPECT_THAT(Ids(RunsThatMatter(client)), ElementsAre("run-8", "run-9"));
}

TEST(RunsThatMatterTest, AreTheLastFiveWhereNoneGoesOn) {
  ListingClient client;
  client.all = {"run-7", "run-6", "run-5", "run-4", "run-3", "run-2"};
  EXPECT_THAT(Ids(RunsThatMatter(client)), ElementsAre("run-7", "run-6", "run-5", "run-4", "run-3"));
}

TEST(RunsThatMatterTest, ARunThatIsRemovedMeanwhileIsPassedOver) {
  ListingClient client;
  client.all = {"run-7", "run-6"};
  client.removed = {"run-7"};
  EXPECT_THAT(Ids(RunsThatMatter(client)), ElementsAre("run-6"));
}

TEST(RunsThatMatterTest, ACoordinatorWithoutAListSaysWhatCanBeAskedAllTheSame) {
  ListingClient client;
  client.status = absl::FailedPreconditionError("this coordinator keeps no results");
  const absl::Status status = RunsThatMatter(client).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("keeps no results; tutti status RUN"));
}

}  // namespace
}  // namespace tutti::cli
