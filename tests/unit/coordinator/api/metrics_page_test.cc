// The page of metrics of a whole coordinator: it shows the fleet and the runs of that coordinator.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "coordinator/api/coordinator_server.h"
#include "tests/unit/coordinator/api/silent_worker.h"
#include "tutti/v1/service.grpc.pb.h"

namespace tutti::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class MetricsPageTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-metrics-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    CoordinatorOptions options;
    options.listen = {"unix:" + folder_ + "/s"};
    auto server = CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = *net::MakeChannel(server_->bound()[0], {});
  }
  void TearDown() override {
    server_ = nullptr;
    rmdir(folder_.c_str());
  }
  std::string Page() {
    std::promise<std::string> page;
    server_->MetricsPage([&page](std::string text) { page.set_value(std::move(text)); });
    return page.get_future().get();
  }

  std::string folder_;
  std::unique_ptr<CoordinatorServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(MetricsPageTest, WorkersAndRunsOfThisCoordinatorAreOnIt) {
  const SilentWorker a(channel_, "a");
  const SilentWorker b(channel_, "b");
  ASSERT_TRUE(a.registered());
  ASSERT_TRUE(b.registered());
  EXPECT_THAT(Page(), AllOf(HasSubstr("tutti_workers{state=\"idle\"} 2\n"),
                            HasSubstr("tutti_runs{state=\"running\"} 0\n")));
  const auto runs = tutti::v1::RunService::NewStub(channel_);
  grpc::ClientContext context;
  tutti::v1::SubmitRequest request;
  request.set_plan(kPlan);
  request.set_source_name("pair.yaml");
  tutti::v1::SubmitResponse response;
  const grpc::Status submitted = runs->Submit(&context, request, &response);
  ASSERT_TRUE(submitted.ok()) << submitted.error_message();
  EXPECT_THAT(
      Page(),
      AllOf(HasSubstr("tutti_workers{state=\"busy\"} 2\n"), HasSubstr("tutti_workers{state=\"idle\"} 0\n"),
            HasSubstr("tutti_runs{state=\"running\"} 1\n"), HasSubstr("tutti_runs{state=\"waiting\"} 0\n"),
            HasSubstr("tutti_runs_ended_total{status=\"cancelled\"} 0\n")));
}

}  // namespace
}  // namespace tutti::api
