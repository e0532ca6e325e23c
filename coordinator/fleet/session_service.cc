#include "coordinator/fleet/session_service.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/sync/thread_annotations.h"
#include "coordinator/fleet/worker_link.h"

namespace tutti::fleet {
namespace {

using tutti::v1::CoordinatorMessage;
using tutti::v1::WorkerMessage;

constexpr size_t kMaxQueuedWrites = 1024;
// So many messages may wait for the executor; a worker that sends faster waits.
constexpr int kMaxUnhandledReads = 256;
constexpr char kNoHelloInTime[] = "the session said nothing in time; a worker begins it with a hello";
constexpr char kNoHelloFirst[] = "the session's first message is no hello; a worker begins it with one";
// A message that cannot be parsed looks like the end of the client's side.
constexpr char kNothingReadable[] =
    "the session ended before a first message that can be read; a worker begins it with a hello";
// gRPC tells no more than that: a killed process and a clean end look the same.
constexpr char kSessionEnded[] = "its session ended: the worker stopped, or its network is gone";

// One session. Its reactions run on gRPC's threads, its methods of WorkerLink on any. It holds itself alive
// until OnDone; links that others still hold are dead after that.
class SessionReactor final : public grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage>,
                             public WorkerLink,
                             public std::enable_shared_from_this<SessionReactor> {
 public:
  SessionReactor(grpc::CallbackServerContext* context, Executor& executor, Fleet& fleet)
      : executor_(executor), fleet_(fleet), peer_(context->peer()), context_(context) {}

  void Start(int64_t hello_deadline_ns) {
    executor_.PostAfter(hello_deadline_ns, [session = weak_from_this()] {
      const std::shared_ptr<SessionReactor> self = session.lock();
      if (self == nullptr || self->said_hello_) return;
      self->EndUnheard({grpc::StatusCode::DEADLINE_EXCEEDED, kNoHelloInTime});
    });
    MutexLock lock(mutex_);
    self_ = shared_from_this();
    StartRead(&incoming_);
  }

  void Send(CoordinatorMessage message) override {
    MutexLock lock(mutex_);
    if (ending_ || finished_) return;
    if (queue_.size() >= kMaxQueuedWrites) {
      BreakLocked();
      return;
    }
    queue_.push_back(std::move(message));
    WriteNextLocked();
  }

  void SendProbe(uint64_t sequence) override {
    MutexLock lock(mutex_);
    if (ending_ || finished_) return;
    probe_ = sequence;
    WriteNextLocked();
  }

  void Close() override {
    MutexLock lock(mutex_);
    ending_ = true;
    WriteNextLocked();
  }

  void Break() override {
    MutexLock lock(mutex_);
    BreakLocked();
  }

  std::string peer() const override { return peer_; }

  void OnReadDone(bool ok) override {
    // First of all: this stamp is part of every clock measurement.
    const TimelineTime received{executor_.NowNs()};
    if (!ok) {
      executor_.Post([session = shared_from_this(), this] { fleet_.HandleClosed(this, kSessionEnded); });
      if (!heard_) return EndUnheard({grpc::StatusCode::INVALID_ARGUMENT, kNothingReadable});
      MutexLock lock(mutex_);
      queue_.clear();
      ending_ = true;
      WriteNextLocked();
      return;
    }
    if (!heard_ && !incoming_.has_hello())
      return EndUnheard({grpc::StatusCode::INVALID_ARGUMENT, kNoHelloFirst});
    heard_ = true;
    executor_.Post([session = shared_from_this(), this, message = std::move(incoming_), received]() mutable {
      Deliver(std::move(message), received);
    });
    incoming_ = WorkerMessage();
    MutexLock lock(mutex_);
    ++unhandled_;
    reading_ = unhandled_ < kMaxUnhandledReads;
    if (reading_) StartRead(&incoming_);
  }

  void OnWriteDone(bool ok) override {
    MutexLock lock(mutex_);
    writing_ = false;
    if (!ok) {
      queue_.clear();
      ending_ = true;
    }
    WriteNextLocked();
  }

  void OnCancel() override {
    MutexLock lock(mutex_);
    queue_.clear();
    ending_ = true;
    WriteNextLocked();
  }

  void OnDone() override {
    // Declared before the lock: the last reference may go with it, and the mutex with that.
    std::shared_ptr<SessionReactor> self;
    MutexLock lock(mutex_);
    finished_ = true;
    context_ = nullptr;
    self = std::move(self_);
  }

 private:
  void Deliver(WorkerMessage message, TimelineTime received) {
    if (!said_hello_) {  // the first message is one
      said_hello_ = true;
      fleet_.HandleHello(shared_from_this(), std::move(*message.mutable_hello()));
    } else {
      fleet_.HandleMessage(this, std::move(message), received);
    }
    MutexLock lock(mutex_);
    --unhandled_;
    if (!reading_ && unhandled_ < kMaxUnhandledReads / 2 && !finished_) {
      reading_ = true;
      StartRead(&incoming_);
    }
  }

  // Of a session without a hello: nothing is queued for it. The first reason stays.
  void EndUnheard(grpc::Status reason) {
    MutexLock lock(mutex_);
    if (ending_ || finished_) return;
    end_status_ = std::move(reason);
    ending_ = true;
    WriteNextLocked();
  }

  void WriteNextLocked() TUTTI_REQUIRES(mutex_) {
    if (writing_ || finished_) return;
    if (!ending_ && probe_.has_value()) {
      outgoing_ = CoordinatorMessage();
      outgoing_.mutable_clock_probe()->set_sequence(*probe_);
      probe_.reset();
      writing_ = true;
      outgoing_.mutable_clock_probe()->set_sent_timeline_ns(executor_.NowNs());
      StartWrite(&outgoing_);
    } else if (!queue_.empty()) {
      outgoing_ = std::move(queue_.front());
      queue_.pop_front();
      writing_ = true;
      StartWrite(&outgoing_);
    } else if (ending_) {
      finished_ = true;
      Finish(end_status_);
    }
  }

  void BreakLocked() TUTTI_REQUIRES(mutex_) {
    queue_.clear();
    ending_ = true;
    // A write that the worker does not take would hold the session open.
    if (context_ != nullptr) context_->TryCancel();
    WriteNextLocked();
  }

  Executor& executor_;
  Fleet& fleet_;
  const std::string peer_;
  bool said_hello_ = false;  // the executor's thread
  WorkerMessage incoming_;   // gRPC's, between StartRead and OnReadDone
  bool heard_ = false;       // a hello was read; OnReadDone's, which never runs twice at a time

  Mutex mutex_;
  std::shared_ptr<SessionReactor> self_ TUTTI_GUARDED_BY(mutex_);  // until OnDone
  grpc::CallbackServerContext* context_ TUTTI_GUARDED_BY(mutex_);
  std::deque<CoordinatorMessage> queue_ TUTTI_GUARDED_BY(mutex_);
  std::optional<uint64_t> probe_ TUTTI_GUARDED_BY(mutex_);
  CoordinatorMessage outgoing_ TUTTI_GUARDED_BY(mutex_);  // gRPC's while writing_
  bool writing_ TUTTI_GUARDED_BY(mutex_) = false;
  bool ending_ TUTTI_GUARDED_BY(mutex_) = false;      // nothing more is queued; Finish after what is
  grpc::Status end_status_ TUTTI_GUARDED_BY(mutex_);  // OK, also of a worker that is refused
  bool finished_ TUTTI_GUARDED_BY(mutex_) = false;    // Finish was called
  int unhandled_ TUTTI_GUARDED_BY(mutex_) = 0;
  bool reading_ TUTTI_GUARDED_BY(mutex_) = true;
};

}  // namespace

grpc::ServerBidiReactor<WorkerMessage, CoordinatorMessage>* SessionService::Session(
    grpc::CallbackServerContext* context) {
  const auto reactor = std::make_shared<SessionReactor>(context, executor_, fleet_);
  reactor->Start(hello_deadline_ns_);
  return reactor.get();
}

}  // namespace tutti::fleet
