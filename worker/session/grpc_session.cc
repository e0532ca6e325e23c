#include "worker/session/grpc_session.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "common/status/grpc_status.h"
#include "common/status/macros.h"
#include "tutti/v1/session.grpc.pb.h"
#include "worker/session/outbox.h"

namespace tutti::session {

// Owns itself until OnDone, and is destroyed on the executor's thread or with the executor. It only
// translates: what was read is posted to the executor, what is sent is queued.
class SessionReactor final : public grpc::ClientBidiReactor<v1::WorkerMessage, v1::CoordinatorMessage> {
 public:
  SessionReactor(GrpcSessionDialer& dialer, std::shared_ptr<grpc::Channel> channel, SessionHandlers handlers)
      : dialer_(dialer),
        executor_(dialer.executor_),
        clock_(dialer.clock_),
        channel_(std::move(channel)),
        stub_(v1::WorkerService::NewStub(channel_)),
        handlers_(std::make_shared<const SessionHandlers>(std::move(handlers))) {}

  void Start(std::shared_ptr<SessionReactor> self) {
    self_ = std::move(self);
    stub_->async()->Session(&context_, this);
    // Messages are sent from outside the reactions; the hold is removed when none will be any more.
    AddHold();
    StartRead(&incoming_);
    StartCall();
  }

  void Send(v1::WorkerMessage message) TUTTI_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (no_more_writes_ || finishing_) return;
    if (!outbox_.Push(std::move(message))) {
      overflowed_ = true;
      context_.TryCancel();
      return;
    }
    WriteNext();
  }

  void Finish() TUTTI_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    finishing_ = true;
    WriteNext();
  }

  void Cancel() { context_.TryCancel(); }

  void OnReadDone(bool ok) override {
    const HostTime received = clock_.Now();
    if (!ok) {
      EndWrites();
      return;
    }
    // Taken out before the next read may overwrite it.
    auto message = std::make_shared<v1::CoordinatorMessage>(std::move(incoming_));
    incoming_.Clear();
    executor_.Post([handlers = handlers_, message, received] { handlers->on_message(*message, received); });
    StartRead(&incoming_);
  }

  void OnWriteDone(bool ok) override TUTTI_EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      writing_ = false;
      if (ok) WriteNext();
    }
    if (!ok) EndWrites();
  }

  void OnDone(const grpc::Status& status) override {
    absl::Status reason = FromGrpc(status);
    {
      MutexLock lock(mutex_);
      if (overflowed_) {
        reason = absl::ResourceExhaustedError("the coordinator does not read: too many messages wait for it");
      }
    }
    // The channel must not die here: gRPC 1.51 would then join the thread that this runs on
    // (CallbackAlternativeCQ::Unref in completion_queue_cc.cc). So the executor lets go of it.
    GrpcSessionDialer& dialer = dialer_;
    Executor& executor = executor_;
    executor.Post([self = std::move(self_), reason] { self->handlers_->on_closed(reason); });
    dialer.ReactorEnded();
  }

 private:
  void WriteNext() TUTTI_REQUIRES(mutex_) {
    if (writing_ || no_more_writes_) return;
    std::optional<v1::WorkerMessage> next = outbox_.Pop();
    if (!next) {
      if (finishing_) {
        StartWritesDone();
        RemoveHoldOnce();
      }
      return;
    }
    outgoing_ = std::move(*next);
    writing_ = true;
    if (outgoing_.has_clock_reply()) outgoing_.mutable_clock_reply()->set_sent_host_ns(clock_.Now().ns);
    StartWrite(&outgoing_);
  }

  void EndWrites() TUTTI_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    RemoveHoldOnce();
  }

  void RemoveHoldOnce() TUTTI_REQUIRES(mutex_) {
    if (no_more_writes_) return;
    no_more_writes_ = true;
    RemoveHold();
  }

  GrpcSessionDialer& dialer_;
  Executor& executor_;
  const Clock& clock_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<v1::WorkerService::Stub> stub_;
  const std::shared_ptr<const SessionHandlers> handlers_;
  grpc::ClientContext context_;
  v1::CoordinatorMessage incoming_;  // owned by the reactions
  std::shared_ptr<SessionReactor> self_;
  Mutex mutex_;
  Outbox outbox_ TUTTI_GUARDED_BY(mutex_);
  v1::WorkerMessage outgoing_ TUTTI_GUARDED_BY(mutex_);  // read by gRPC while writing_
  bool writing_ TUTTI_GUARDED_BY(mutex_) = false;
  bool finishing_ TUTTI_GUARDED_BY(mutex_) = false;
  bool no_more_writes_ TUTTI_GUARDED_BY(mutex_) = false;
  bool overflowed_ TUTTI_GUARDED_BY(mutex_) = false;
};

namespace {

class GrpcSessionStream final : public SessionStream {
 public:
  explicit GrpcSessionStream(std::shared_ptr<SessionReactor> reactor) : reactor_(std::move(reactor)) {}
  ~GrpcSessionStream() override { reactor_->Cancel(); }

  void Send(v1::WorkerMessage message) override { reactor_->Send(std::move(message)); }
  void Finish() override { reactor_->Finish(); }
  void Cancel() override { reactor_->Cancel(); }

 private:
  const std::shared_ptr<SessionReactor> reactor_;
};

std::string NumericText(const sockaddr* address, socklen_t size) {
  char text[NI_MAXHOST] = "";
  return getnameinfo(address, size, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0 ? text : "";
}

std::string SourceAddressTowards(const addrinfo& target) {
  const int fd = socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return "";
  sockaddr_storage own{};
  socklen_t size = sizeof(own);
  const bool known = connect(fd, target.ai_addr, target.ai_addrlen) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) == 0;
  close(fd);
  return known ? NumericText(reinterpret_cast<sockaddr*>(&own), size) : "";
}

}  // namespace

GrpcSessionDialer::GrpcSessionDialer(net::Endpoint coordinator, net::ChannelOptions options,
                                     Executor& executor, const Clock& clock)
    : coordinator_(std::move(coordinator)), options_(options), executor_(executor), clock_(clock) {}

GrpcSessionDialer::~GrpcSessionDialer() {
  MutexLock lock(mutex_);
  while (reactors_ > 0) ended_.Wait(mutex_);
}

void GrpcSessionDialer::ReactorEnded() {
  MutexLock lock(mutex_);
  --reactors_;
  ended_.NotifyAll();
}

absl::StatusOr<std::unique_ptr<SessionStream>> GrpcSessionDialer::Dial(SessionHandlers handlers) {
  TUTTI_ASSIGN_OR_RETURN(std::shared_ptr<grpc::Channel> channel, net::MakeChannel(coordinator_, options_));
  {
    MutexLock lock(mutex_);
    ++reactors_;
  }
  auto reactor = std::make_shared<SessionReactor>(*this, std::move(channel), std::move(handlers));
  reactor->Start(reactor);
  return std::make_unique<GrpcSessionStream>(std::move(reactor));
}

ControlPath GrpcSessionDialer::FindControlPath() {
  if (coordinator_.is_unix) return {};
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(coordinator_.port);
  if (getaddrinfo(coordinator_.host.c_str(), port.c_str(), &hints, &found) != 0) return {};
  ControlPath path;
  for (const addrinfo* each = found; each != nullptr && path.own_address.empty(); each = each->ai_next) {
    path = {SourceAddressTowards(*each), NumericText(each->ai_addr, each->ai_addrlen)};
  }
  freeaddrinfo(found);
  return path;
}

}  // namespace tutti::session
