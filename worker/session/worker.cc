#include "worker/session/worker.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log/log.h"
#include "common/time/nanoseconds.h"
#include "common/version/version.h"

namespace tutti::session {
namespace {

constexpr int64_t kRegisterLimitNs = 5'000 * kNsPerMs;
// A lease outside of this is a broken coordinator's.
constexpr int64_t kMinLeaseNs = 100 * kNsPerMs;
constexpr int64_t kMaxLeaseNs = 60'000 * kNsPerMs;
constexpr int64_t kFinishLimitNs = 300 * kNsPerMs;
constexpr int64_t kMaxBackgroundNs = 60'000 * kNsPerMs;
// Within the lease: the first dial is made at once, those that follow after pauses between these.
constexpr int64_t kFirstRedialNs = 20 * kNsPerMs;
constexpr int64_t kMaxRedialNs = 200 * kNsPerMs;
// The first dial may take this part of the lease, each one that follows twice as long: a connection's first
// packet that was lost is repeated by the kernel after a second only, a new connection sends its own at once.
constexpr int64_t kFirstAttemptPerLease = 8;

std::string EndReason(const absl::Status& status) {
  return status.ok() ? std::string("the coordinator ended the session") : std::string(status.message());
}

}  // namespace

Worker::Worker(WorkerOptions options, Executor& executor, Executor& trial_thread, const Clock& clock,
               SessionDialer& dialer, TrialKernel& kernel, WorkerEvents events)
    : options_(std::move(options)),
      executor_(executor),
      trial_thread_(trial_thread),
      clock_(clock),
      dialer_(dialer),
      kernel_(kernel),
      events_(std::move(events)),
      backoff_(options_.incarnation),
      redial_backoff_(options_.incarnation, kFirstRedialNs, kMaxRedialNs),
      runner_(executor, trial_thread, clock, kernel,
              [this](v1::WorkerMessage message) { Send(std::move(message)); }),
      alive_(std::make_shared<bool>(true)) {}

Worker::~Worker() {
  *alive_ = false;
  executor_.Cancel(silence_timer_);
  executor_.Cancel(retry_timer_);
  executor_.Cancel(attempt_timer_);
}

void Worker::Start() {
  executor_.Post([this, alive = alive_] {
    if (*alive && state_ == State::kIdle) Connect();
  });
}

void Worker::Stop(std::function<void()> on_stopped) {
  executor_.Post([this, alive = alive_, on_stopped = std::move(on_stopped)] {
    if (!*alive) return;
    on_stopped_ = on_stopped;
    BeginStop();
  });
}

std::function<void()> Worker::InSession(std::function<void()> task) {
  return [this, alive = alive_, session = session_, task = std::move(task)] {
    if (*alive && session == session_) task();
  };
}

void Worker::Connect() {
  state_ = State::kConnecting;
  ++session_;
  runner_.AbortAll(
      "a new session begins", InSession([this] {
        if (state_ != State::kConnecting) return;
        // On the trial's thread, which is idle now: a name server may keep it waiting.
        trial_thread_.Post([this, alive = alive_, session = session_, gather = options_.gather_facts,
                            &executor = executor_, &dialer = dialer_] {
          auto facts = std::make_shared<absl::StatusOr<v1::HostFacts>>(gather());
          auto path = std::make_shared<ControlPath>(dialer.FindControlPath());
          executor.Post([this, alive, session, facts, path] {
            if (!*alive || session != session_ || state_ != State::kConnecting) return;
            if (!facts->ok())
              return RetryLater(absl::StrCat("reading this host's facts: ", EndReason(facts->status())));
            Dial(std::move(**facts), *path);
          });
        });
      }));
}

void Worker::Dial(v1::HostFacts facts, const ControlPath& path) {
  runner_.SetFacts(facts);
  coordinator_address_ = path.coordinator_address;
  v1::Hello hello;
  for (const auto& [key, value] : options_.labels) (*hello.mutable_labels())[key] = value;
  *hello.mutable_facts() = std::move(facts);
  hello.set_control_address(options_.address.empty() ? path.own_address : options_.address);
  hello.set_resumable(true);
  if (!SayHello(std::move(hello), State::kRegistering)) return;
  limit_ns_ = kRegisterLimitNs;
  last_heard_ns_ = executor_.NowNs();
  WatchSilence();
}

bool Worker::SayHello(v1::Hello hello, State next) {
  ++connection_;
  SessionHandlers handlers;
  handlers.on_message = [this, alive = alive_, connection = connection_](
                            const v1::CoordinatorMessage& message, HostTime received) {
    if (*alive && connection == connection_) OnMessage(message, received);
  };
  handlers.on_closed = [this, alive = alive_, connection = connection_](const absl::Status& status) {
    if (*alive && connection == connection_) OnClosed(status);
  };
  auto stream = dialer_.Dial(std::move(handlers));
  if (!stream.ok()) {
    refusal_ = EndReason(stream.status());
    BeginStop();
    return false;
  }
  stream_ = std::move(*stream);
  state_ = next;
  hello.set_protocol_version(kProtocolVersion);
  hello.set_name(options_.name);
  hello.set_incarnation(options_.incarnation);
  v1::WorkerMessage message;
  *message.mutable_hello() = std::move(hello);
  stream_->Send(std::move(message));
  return true;
}

void Worker::RetryLater(const std::string& why) {
  if (why != last_failure_) spdlog::warn("no session with the coordinator, trying on: {}", why);
  last_failure_ = why;
  state_ = State::kConnecting;
  retry_timer_ = executor_.PostAfter(backoff_.NextDelayNs(), InSession([this] {
                                       if (state_ == State::kConnecting) Connect();
                                     }));
}

void Worker::OnMessage(const v1::CoordinatorMessage& message, HostTime received) {
  if (state_ != State::kResuming) last_heard_ns_ = executor_.NowNs();
  if (state_ == State::kRegistering || state_ == State::kResuming) {
    if (message.has_registered()) return OnRegistered(message.registered());
    if (message.has_refused()) return OnRefused(message.refused());
    if (!message.has_clock_probe()) {
      spdlog::warn("the coordinator sent a command before it registered this worker; ignored");
      return;
    }
  }
  if (message.has_clock_probe()) return AnswerProbe(message.clock_probe(), received);
  if (state_ != State::kRegistered) return;
  if (message.has_refused()) return OnRefused(message.refused());
  const net::Arrival arrival = held_.Receive(message);
  if (arrival == net::Arrival::kRepeated) return;
  if (arrival == net::Arrival::kGap) return GiveUp("the coordinator left out a message of the session");
  if (message.has_measure_background()) return MeasureBackground(message.measure_background());
  runner_.Handle(message, received);
}

void Worker::OnRegistered(const v1::Registered& registered) {
  if (state_ == State::kResuming) return OnResumed(registered);
  state_ = State::kRegistered;
  held_.Begin(registered.session_id());
  limit_ns_ = std::clamp(registered.lease_ns(), kMinLeaseNs, kMaxLeaseNs);
  WatchSilence();
  backoff_.Reset();
  last_failure_.clear();
  spdlog::info("registered as \"{}\" with coordinator {}, lease {} ms", options_.name,
               registered.coordinator_version(), limit_ns_ / kNsPerMs);
  if (registered.has_clock_service()) StartResponder(registered.clock_service());
  if (events_.on_registered) events_.on_registered();
}

void Worker::OnResumed(const v1::Registered& registered) {
  if (!held_.Resume(registered)) return GiveUp("the coordinator did not take the session up again");
  executor_.Cancel(attempt_timer_);
  state_ = State::kRegistered;
  spdlog::info("the session with the coordinator goes on after {} ms, {} messages are sent again",
               (executor_.NowNs() - last_heard_ns_) / kNsPerMs, held_.kept().size());
  limit_ns_ = std::clamp(registered.lease_ns(), kMinLeaseNs, kMaxLeaseNs);
  last_heard_ns_ = executor_.NowNs();
  WatchSilence();
  for (const auto& kept : held_.kept()) stream_->Send(kept.message);
  if (responder_ == nullptr && registered.has_clock_service()) StartResponder(registered.clock_service());
}

// Without it the coordinator measures this clock over the session, less exactly; it says so in every result.
void Worker::StartResponder(const v1::ClockService& service) {
  ClockResponder::Options options;
  options.coordinator = coordinator_address_;
  if (coordinator_address_.empty() || service.token().size() != options.token.size()) return;
  std::copy(service.token().begin(), service.token().end(), options.token.begin());
  for (const uint32_t port : service.udp_ports()) {
    if (port > 0 && port <= 65535) options.ports.push_back(static_cast<uint16_t>(port));
  }
  auto responder = ClockResponder::Start(options, clock_, *options_.brackets);
  if (!responder.ok()) {
    spdlog::warn("this host's clock is measured over the session alone: {}", EndReason(responder.status()));
    return;
  }
  responder_ = *std::move(responder);
}

void Worker::OnRefused(const v1::Refused& refused) {
  if (refused.retry()) {
    const std::string why = absl::StrCat("refused for now: ", refused.reason());
    if (state_ == State::kResuming) return GiveUp(why);
    refused_for_now_ = why;
    held_.End();
    return stream_->Finish();
  }
  refusal_ = refused.reason();
  BeginStop();
}

void Worker::OnClosed(const absl::Status& status) {
  // A session that the coordinator ended in order is over.
  const bool broke = !status.ok() && held_.held();
  if (broke && (state_ == State::kRegistered || state_ == State::kResuming)) return GoAway(EndReason(status));
  executor_.Cancel(silence_timer_);
  DropConnection();
  held_.End();
  if (state_ != State::kStopping && state_ != State::kStopped) {
    // First of all: the traffic must stop.
    runner_.AbortAll("the session broke", [] {});
  }
  responder_.reset();
  if (state_ == State::kStopping) return EndStop();
  if (state_ == State::kStopped) return;
  const bool was_registered = state_ == State::kRegistered;
  if (was_registered) spdlog::warn("the session with the coordinator broke: {}", EndReason(status));
  RetryLater(refused_for_now_.empty() ? EndReason(status) : std::exchange(refused_for_now_, ""));
}

void Worker::DropConnection() {
  ++connection_;
  stream_.reset();
  executor_.Cancel(attempt_timer_);
}

void Worker::GoAway(const std::string& why) {
  DropConnection();
  int64_t delay_ns = 0;
  if (state_ == State::kRegistered) {
    spdlog::warn("the connection to the coordinator broke, dialling again: {}", why);
    redial_backoff_.Reset();
    attempt_ns_ = limit_ns_ / kFirstAttemptPerLease;
  } else {
    delay_ns = redial_backoff_.NextDelayNs();
  }
  state_ = State::kAway;
  retry_timer_ = executor_.PostAfter(delay_ns, InSession([this] {
                                       if (state_ == State::kAway) Redial();
                                     }));
  WatchSilence();
}

void Worker::Redial() {
  v1::Hello hello;
  hello.set_session_id(held_.id());
  hello.set_received_sequence(held_.received());
  hello.set_attempt(connection_ + 1);
  if (!SayHello(std::move(hello), State::kResuming)) return;
  attempt_timer_ = executor_.PostAfter(attempt_ns_, InSession([this, connection = connection_] {
                                         if (connection == connection_ && state_ == State::kResuming)
                                           GoAway("no answer");
                                       }));
  attempt_ns_ = std::min(2 * attempt_ns_, limit_ns_);
}

void Worker::GiveUp(const std::string& why) {
  spdlog::warn("the session with the coordinator ends: {}", why);
  last_failure_ = why;  // it is told now
  // First of all: the traffic must stop.
  runner_.AbortAll(why, [] {});
  executor_.Cancel(silence_timer_);
  executor_.Cancel(retry_timer_);
  if (stream_) stream_->Cancel();
  DropConnection();
  held_.End();
  responder_.reset();
  RetryLater(why);
}

void Worker::AnswerProbe(const v1::ClockProbe& probe, HostTime received) {
  v1::WorkerMessage message;
  v1::ClockReply* reply = message.mutable_clock_reply();
  reply->set_sequence(probe.sequence());
  reply->set_probe_sent_timeline_ns(probe.sent_timeline_ns());
  reply->set_received_host_ns(received.ns);
  message.set_received_sequence(held_.received());
  Send(std::move(message));
}

void Worker::MeasureBackground(const v1::MeasureBackground& request) {
  // A reading that fails stays unset, and the background is not known.
  v1::BackgroundReading reading;
  reading.set_request_id(request.request_id());
  if (auto begin = kernel_.ReadCpu(true); begin.ok()) *reading.mutable_begin() = std::move(*begin);
  const int64_t wait_ns = std::clamp<int64_t>(request.duration_ns(), 0, kMaxBackgroundNs);
  executor_.PostAfter(wait_ns, InSession([this, reading]() mutable {
                        if (auto end = kernel_.ReadCpu(true); end.ok())
                          *reading.mutable_end() = std::move(*end);
                        v1::WorkerMessage message;
                        *message.mutable_background() = std::move(reading);
                        Send(std::move(message));
                      }));
}

void Worker::WatchSilence() {
  executor_.Cancel(silence_timer_);
  const int64_t patience_ns = state_ == State::kRegistered && held_.held() ? limit_ns_ / 2 : limit_ns_;
  const int64_t due_ns = last_heard_ns_ + patience_ns - executor_.NowNs();
  silence_timer_ = executor_.PostAfter(std::max<int64_t>(due_ns, 0), InSession([this] { OnSilence(); }));
}

void Worker::OnSilence() {
  if (state_ == State::kConnecting || state_ == State::kStopping || state_ == State::kStopped) return;
  const int64_t silent_ns = executor_.NowNs() - last_heard_ns_;
  const std::string why =
      absl::StrCat("nothing was heard from the coordinator for ", silent_ns / kNsPerMs, " ms");
  if (silent_ns >= limit_ns_) return GiveUp(why);
  // Perhaps the network is back and only what was sent into the gap still waits to be repeated.
  if (state_ == State::kRegistered && held_.held() && silent_ns >= limit_ns_ / 2) return GoAway(why);
  WatchSilence();
}

void Worker::BeginStop() {
  if (state_ == State::kStopped) {
    if (on_stopped_) std::exchange(on_stopped_, nullptr)();
    return;
  }
  if (state_ == State::kStopping) return;
  if (state_ == State::kAway || state_ == State::kResuming) DropConnection();
  state_ = State::kStopping;
  executor_.Cancel(silence_timer_);
  executor_.Cancel(retry_timer_);
  runner_.AbortAll("the worker stops", [this, alive = alive_] {
    if (!*alive || state_ != State::kStopping) return;
    if (!stream_) return EndStop();
    v1::WorkerMessage goodbye;
    goodbye.mutable_goodbye();
    Send(std::move(goodbye));
    stream_->Finish();
    // A coordinator that does not close its side is not waited for.
    executor_.PostAfter(kFinishLimitNs, InSession([this] {
                          if (stream_) stream_->Cancel();
                        }));
  });
}

void Worker::EndStop() {
  if (!runner_.idle()) {
    // The session broke while the trial was being ended: its end leads here again.
    return;
  }
  state_ = State::kStopped;
  if (!refusal_.empty() && events_.on_refused) events_.on_refused(refusal_);
  if (on_stopped_) std::exchange(on_stopped_, nullptr)();
}

void Worker::Send(v1::WorkerMessage message) {
  const HeldSession::Fate fate = held_.Keep(message);
  if (fate == HeldSession::Fate::kDrop) return;
  if (fate == HeldSession::Fate::kFull) {
    // Not now: whoever sends is in the middle of something.
    executor_.Post(InSession([this] {
      if (held_.held() && state_ != State::kStopping)
        GiveUp("the coordinator does not read: too many messages wait for it");
    }));
    return;
  }
  if (stream_ && (state_ == State::kRegistered || state_ == State::kStopping || message.has_clock_reply())) {
    stream_->Send(std::move(message));
  }
}

}  // namespace tutti::session
