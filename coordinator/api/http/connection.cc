#include "coordinator/api/http/connection.h"

#include <time.h>

#include <boost/asio/buffer.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "coordinator/api/http/admission.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/event_stream.h"
#include "coordinator/api/http/response_head.h"
#include "coordinator/api/http/routes.h"

namespace tutti::http {
namespace {

// A read may have ended by itself in the instant in which it was cancelled, and another one begun.
constexpr std::chrono::milliseconds kCancelAgain(100);

// As MediaTypeOf: case counts nothing.
bool AsksToContinue(const std::string& expectation) {
  constexpr std::string_view kWord = "100-continue";
  if (expectation.size() != kWord.size()) return false;
  for (size_t i = 0; i < kWord.size(); ++i) {
    const char c = expectation[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != kWord[i]) return false;
  }
  return true;
}

}  // namespace

Connection::Connection(Socket socket, SiteRule site, ServerState& server)
    : socket_(std::move(socket)),
      site_(std::move(site)),
      server_(server),
      deadline_(server.io),
      reader_(server.limits) {}

void Connection::Start() {
  server_.Enter(shared_from_this());
  SetDeadline(server_.limits.arrival);
  Read();
}

void Connection::WindDown() {
  // The others end behind what they write: see Send.
  if (phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kBody) Close();
}

void Connection::Close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  ClearDeadline();
  ErrorCode ignored;
  socket_.close(ignored);
  server_.Leave(shared_from_this());
}

void Connection::Read() {
  socket_.async_read_some(
      boost::asio::buffer(chunk_),
      [self = shared_from_this()](const ErrorCode& error, size_t bytes) { self->OnRead(error, bytes); });
}

void Connection::OnRead(const ErrorCode& error, size_t bytes) {
  if (phase_ == Phase::kClosed) return;
  if (phase_ == Phase::kLingering) {
    if (error) return Close();
    return Read();
  }
  if (timed_out_) {
    timed_out_ = false;
    if (!received_) return Close();
    return Send(ErrorResponse(408, "request_timeout",
                              phase_ == Phase::kBody ? "the body did not arrive in time"
                                                     : "the head of the request did not arrive in time"),
                false);
  }
  if (error) return Close();
  received_ = true;
  reader_.Append(std::string_view(chunk_.data(), bytes));
  Proceed();
}

void Connection::Proceed() {
  switch (reader_.Advance()) {
    case RequestReader::Step::kNeedMore:
      if (phase_ == Phase::kIdle) {
        phase_ = Phase::kHead;
        SetDeadline(server_.limits.arrival);
      }
      return Read();
    case RequestReader::Step::kHead:
      return OnHead();
    case RequestReader::Step::kRequest:
      return OnRequest();
    case RequestReader::Step::kFailed:
      return Send(reader_.failure(), false);
  }
}

void Connection::OnHead() {
  const Request& head = reader_.request();
  const bool body_waits = reader_.waits_for_body();
  phase_ = Phase::kBody;
  SetDeadline(server_.limits.arrival);
  Admission admission = Admit(Routes(), head, site_);
  // What an unread body holds is not to be taken for the next request.
  if (admission.answer) {
    const bool head_only = head.method == "HEAD";
    const bool keep_alive = head.keep_alive && !body_waits;
    if (!body_waits) reader_.TakeRequest();
    exchange_ = nullptr;
    if (head_only) {
      exchange_ = std::make_shared<Exchange>();
      exchange_->head_only = true;
    }
    return Send(*std::move(admission.answer), keep_alive);
  }
  exchange_ = std::move(admission.exchange);
  const std::string* expectation = head.Find("expect");
  if (expectation == nullptr || head.minor_version == 0) return Proceed();
  if (!AsksToContinue(*expectation)) {
    return Send(ErrorResponse(417, "expectation_failed", "of the field Expect only 100-continue is known"),
                false);
  }
  if (!body_waits) return Proceed();
  continues_ = true;
  head_ = kContinue;
  body_.clear();
  written_ = 0;
  WriteSome();
}

void Connection::OnRequest() {
  ClearDeadline();
  exchange_->request = reader_.TakeRequest();
  ++exchange_number_;
  if (exchange_->route->open != nullptr) return StartEvents();
  phase_ = Phase::kAnswering;
  const std::shared_ptr<const Exchange> exchange = exchange_;
  // Posted tasks that are dropped at the end of the server leave the connection to its Close.
  server_.context.work->Post([&context = server_.context, exchange, reply = MakeReply()] {
    try {
      exchange->route->handle(context, *exchange, reply);
    } catch (const std::exception& error) {
      reply(ErrorResponse(absl::InternalError(error.what())));
    }
  });
}

Reply Connection::MakeReply() {
  return [loop = server_.loop, unsent = server_.context.unsent, weak = weak_from_this(),
          number = exchange_number_](Response response) {
    // Here, on the thread that makes answers: the next one looks for room behind this.
    response.share = unsent->Add(response.body.size());
    loop->Post([weak, number, response = std::move(response)]() mutable {
      if (const auto self = weak.lock()) self->Answer(number, std::move(response));
    });
  };
}

void Connection::Answer(uint64_t exchange_number, Response response) {
  if (phase_ != Phase::kAnswering || exchange_number != exchange_number_) return;
  Send(std::move(response), exchange_->request.keep_alive);
}

void Connection::StartEvents() {
  if (server_.event_streams >= server_.limits.event_streams) {
    Response response = ErrorResponse(
        503, "unavailable",
        "there are " + std::to_string(server_.event_streams) + " event streams already, which is the most");
    response.fields.emplace_back("Retry-After", "5");
    return Send(std::move(response), exchange_->request.keep_alive);
  }
  const auto stream = std::make_shared<EventStream>(std::move(socket_), server_);
  phase_ = Phase::kClosed;
  stream->Start(*exchange_);
  // Behind the stream's entry, so that the list is never empty in between.
  server_.Leave(shared_from_this());
}

void Connection::Send(Response response, bool keep_alive) {
  phase_ = Phase::kWriting;
  keep_alive_ = keep_alive && !server_.winding_down;
  head_ = ResponseHead(response, keep_alive_, time(nullptr));
  const bool head_only = exchange_ != nullptr && exchange_->head_only;
  body_ = head_only ? std::string() : std::move(response.body);
  share_ = head_only ? nullptr : std::move(response.share);
  exchange_ = nullptr;
  written_ = 0;
  WriteSome();
}

void Connection::WriteSome() {
  SetDeadline(server_.limits.stall);
  const size_t of_head = written_ < head_.size() ? written_ : head_.size();
  const size_t of_body = written_ - of_head;
  const std::array<boost::asio::const_buffer, 2> rest = {
      boost::asio::const_buffer(head_.data() + of_head, head_.size() - of_head),
      boost::asio::const_buffer(body_.data() + of_body, body_.size() - of_body)};
  socket_.async_write_some(rest, [self = shared_from_this()](const ErrorCode& error, size_t bytes) {
    self->OnWritten(error, bytes);
  });
}

void Connection::OnWritten(const ErrorCode& error, size_t bytes) {
  if (phase_ == Phase::kClosed) return;
  if (error) return Close();
  written_ += bytes;
  if (written_ < head_.size() + body_.size()) return WriteSome();
  OnAllWritten();
}

void Connection::OnAllWritten() {
  if (continues_) {
    continues_ = false;
    SetDeadline(server_.limits.arrival);
    return Proceed();
  }
  head_.clear();
  body_ = std::string();  // gives its memory back
  share_ = nullptr;
  if (!keep_alive_ || server_.winding_down) return Linger();
  AwaitRequest();
}

void Connection::AwaitRequest() {
  // The client may have sent its next request already.
  const bool has_bytes = reader_.has_bytes();
  phase_ = has_bytes ? Phase::kHead : Phase::kIdle;
  SetDeadline(has_bytes ? server_.limits.arrival : server_.limits.idle);
  if (has_bytes) return Proceed();
  Read();
}

void Connection::Linger() {
  phase_ = Phase::kLingering;
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  SetDeadline(server_.limits.linger);
  Read();
}

void Connection::SetDeadline(std::chrono::milliseconds delay) {
  const uint64_t number = ++deadline_number_;
  deadline_.expires_after(delay);
  deadline_.async_wait([weak = weak_from_this(), number](const ErrorCode& error) {
    const auto self = weak.lock();
    if (!error && self != nullptr && self->deadline_number_ == number) self->OnDeadline();
  });
}

void Connection::ClearDeadline() {
  ++deadline_number_;
  deadline_.cancel();
}

void Connection::OnDeadline() {
  switch (phase_) {
    case Phase::kHead:
    case Phase::kBody: {
      if (continues_) return Close();
      timed_out_ = true;
      ErrorCode ignored;
      socket_.cancel(ignored);
      return SetDeadline(kCancelAgain);
    }
    case Phase::kIdle:
    case Phase::kWriting:
    case Phase::kLingering:
      return Close();
    case Phase::kAnswering:
    case Phase::kClosed:
      return;
  }
}

}  // namespace tutti::http
