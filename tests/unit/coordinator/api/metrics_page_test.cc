// The page of metrics of a whole coordinator: it shows the fleet and the runs of that coordinator.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>

#include "tests/unit/coordinator/api/coordinator_fixture.h"
#include "tests/unit/coordinator/api/silent_worker.h"

namespace tutti::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MetricsPageTest : public CoordinatorFixture {
 protected:
  void SetUp() override { StartServer(); }
  std::string Page() {
    std::promise<std::string> page;
    server_->MetricsPage([&page](std::string text) { page.set_value(std::move(text)); });
    return page.get_future().get();
  }
};

TEST_F(MetricsPageTest, WorkersAndRunsOfThisCoordinatorAreOnIt) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  ASSERT_TRUE(a.registered());
  ASSERT_TRUE(b.registered());
  EXPECT_THAT(Page(), AllOf(HasSubstr("tutti_workers{state=\"idle\"} 2\n"),
                            HasSubstr("tutti_runs{state=\"running\"} 0\n")));
  grpc::ClientContext context;
  tutti::v1::SubmitRequest request;
  request.set_plan(kPlan);
  request.set_source_name("pair.yaml");
  tutti::v1::SubmitResponse response;
  const grpc::Status submitted = runs_->Submit(&context, request, &response);
  ASSERT_TRUE(submitted.ok()) << submitted.error_message();
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("tutti_workers{state=\"busy\"} 2\n"), HasSubstr("tutti_workers{state=\"idle\"} 0\n"),
            HasSubstr("tutti_runs{state=\"running\"} 1\n"), HasSubstr("tutti_runs{state=\"waiting\"} 0\n"),
            HasSubstr("tutti_runs_ended_total{status=\"cancelled\"} 0\n")));
}

}  // namespace
}  // namespace tutti::api
