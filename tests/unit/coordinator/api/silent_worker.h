// A worker that is there and does nothing, and a plan for two of them.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "common/version/version.h"
#include "tutti/v1/session.grpc.pb.h"

namespace tutti::api {

inline constexpr char kPlan[] = R"(version: 1
name: pair
roles:
  sender: {count: 1}
  receiver: {count: 1}
traffic:
  - name: bulk
    from: sender
    to: receiver
    pattern: pairs
    streams: 1
    protocol: udp
    message_size: 1472B
timing: {warmup: 100ms, measure: 1s, cooldown: 100ms, interval: 100ms}
)";

// Holds a session open: registered, idle, silent.
class SilentWorker {
 public:
  SilentWorker(const std::shared_ptr<grpc::Channel>& channel, const std::string& name)
      : stub_(tutti::v1::WorkerService::NewStub(channel)), stream_(stub_->Session(&context_)) {
    tutti::v1::WorkerMessage message;
    message.mutable_hello()->set_protocol_version(kProtocolVersion);
    message.mutable_hello()->set_name(name);
    message.mutable_hello()->mutable_facts()->set_boot_id("boot-" + name);
    tutti::v1::HostAddress& address = *message.mutable_hello()->mutable_facts()->add_addresses();
    address.set_address(name == "a" ? "10.0.0.1" : "10.0.0.2");
    address.set_prefix_length(24);
    address.set_device("eth0");
    message.mutable_hello()->set_control_address(address.address());
    stream_->Write(message);
    tutti::v1::CoordinatorMessage answer;
    registered_ = stream_->Read(&answer) && answer.has_registered();
  }
  ~SilentWorker() {
    context_.TryCancel();
    stream_->Finish();
  }
  bool registered() const { return registered_; }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<tutti::v1::WorkerService::Stub> stub_;
  std::unique_ptr<grpc::ClientReaderWriter<tutti::v1::WorkerMessage, tutti::v1::CoordinatorMessage>> stream_;
  bool registered_ = false;
};

}  // namespace tutti::api
