// A whole coordinator of the test's own, which it can start again.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/net/channels.h"
#include "coordinator/api/coordinator_server.h"
#include "tests/unit/temporary_folder.h"
#include "tutti/v1/service.grpc.pb.h"
#include "tutti/v1/store.grpc.pb.h"

namespace tutti::api {

// It listens on a socket in the folder, and is asked over gRPC.
class CoordinatorFixture : public testing::Test {
 protected:
  // Ends the one before. `state_dir` is where it keeps runs and drains; empty: nowhere.
  void StartServer(const std::string& state_dir = "") {
    server_ = nullptr;
    CoordinatorOptions options;
    options.listen = {Address("s")};
    options.state_dir = state_dir;
    auto server = CoordinatorServer::Start(options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    channel_ = *net::MakeChannel(server_->bound()[0], {});
    runs_ = tutti::v1::RunService::NewStub(channel_);
    results_ = tutti::v1::ResultService::NewStub(channel_);
    fleet_ = tutti::v1::FleetService::NewStub(channel_);
  }
  // Of a socket of this name in the folder.
  std::string Address(const std::string& name) const {
    return absl::StrCat("unix:", (folder_ / name).string());
  }
  std::string StateDir() const { return (folder_ / "state").string(); }

  const TemporaryFolder folder_;
  std::unique_ptr<CoordinatorServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<tutti::v1::RunService::Stub> runs_;
  std::unique_ptr<tutti::v1::ResultService::Stub> results_;
  std::unique_ptr<tutti::v1::FleetService::Stub> fleet_;
};

}  // namespace tutti::api
