#include "coordinator/api/http/event_stream.h"

#include <time.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/socket_base.hpp>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coordinator/api/http/error_envelope.h"
#include "coordinator/api/http/event_text.h"
#include "coordinator/api/http/response_head.h"

namespace tutti::http {
namespace {

// As much as one write of a willing socket takes.
constexpr size_t kEnoughBytes = size_t{64} * 1024;

// Before the head is sent.
Response RefusalResponse(const absl::Status& refusal) {
  Response response = ErrorResponse(refusal);
  if (absl::IsUnavailable(refusal)) response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

EventStream::EventStream(Socket socket, ServerState& server)
    : socket_(std::move(socket)), server_(server), beat_(server.io), stall_(server.io) {}

void EventStream::Start(const Exchange& exchange) {
  server_.Enter(shared_from_this());
  ++server_.event_streams;
  ErrorCode ignored;
  socket_.set_option(boost::asio::socket_base::send_buffer_size(server_.limits.event_socket_bytes), ignored);
  WatchForHangUp();
  const EventFeed::Wake wake = [loop = server_.loop, weak = weak_from_this()] {
    loop->Post([weak] {
      if (const auto self = weak.lock()) self->Pump();
    });
  };
  absl::StatusOr<std::shared_ptr<EventFeed>> feed = exchange.route->open(server_.context, exchange, wake);
  if (!feed.ok()) return Finish(ErrorResponse(feed.status()));
  feed_ = *std::move(feed);
  SetBeat(server_.limits.stream_open);
}

void EventStream::WindDown() {
  winding_down_ = true;
  Pump();
}

void EventStream::Close() {
  if (closed_) return;
  closed_ = true;
  beat_.cancel();
  stall_.cancel();
  ErrorCode ignored;
  socket_.close(ignored);
  if (feed_ != nullptr) feed_->Stop();
  --server_.event_streams;
  server_.Leave(shared_from_this());
}

void EventStream::WatchForHangUp() {
  socket_.async_read_some(boost::asio::buffer(dropped_),
                          [self = shared_from_this()](const ErrorCode& error, size_t) {
                            if (self->closed_) return;
                            if (error) return self->Close();
                            self->WatchForHangUp();
                          });
}

void EventStream::Pump() {
  if (closed_ || writing_) return;
  if (!last_) TakeFromFeed();
  if (closed_ || writing_) return;  // TakeFromFeed may have finished it
  if (out_.size() > 0) return Write();
  if (last_ || winding_down_) Close();
}

void EventStream::TakeFromFeed() {
  if (feed_ == nullptr) return;
  const EventFeed::State state = feed_->Take(kEnoughBytes, out_);
  const bool refused = !state.refusal.ok();
  if (!head_sent_) {
    if (refused) return Finish(RefusalResponse(state.refusal));
    if (state.ended && out_.size() == 0) {
      // Where nothing is left a browser would connect again and again: 204 tells it not to.
      Response nothing;
      nothing.status = 204;
      return Finish(nothing);
    }
    if (out_.size() == 0 && !head_due_) return;
    out_.own.insert(0, EventStreamHead(time(nullptr)));
    head_sent_ = true;
  } else if (refused) {
    out_.own += RefusalText(state.refusal);
  }
  last_ = state.ended || refused;
}

void EventStream::Finish(const Response& response) {
  head_sent_ = true;
  last_ = true;
  out_ = Outgoing();
  out_.own = ResponseHead(response, false, time(nullptr)) + response.body;
  Write();
}

void EventStream::Write() {
  share_ = server_.context.unsent->Add(out_.own.size());
  WriteSome();
}

void EventStream::WriteSome() {
  writing_ = true;
  stall_.expires_after(server_.limits.stall);
  stall_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
    const auto self = weak.lock();
    // One that was put off in the instant in which it fired has its time in the future.
    if (!error && self != nullptr && self->writing_ && self->stall_.expiry() <= Timer::clock_type::now()) {
      self->Close();
    }
  });
  const std::string_view own = out_.own;
  const std::string_view shared = out_.shared == nullptr ? std::string_view() : out_.shared->text;
  const size_t of_own = written_ < own.size() ? written_ : own.size();
  const size_t of_shared = written_ - of_own;
  const std::array<boost::asio::const_buffer, 2> rest = {
      boost::asio::const_buffer(own.data() + of_own, own.size() - of_own),
      boost::asio::const_buffer(shared.data() + of_shared, shared.size() - of_shared)};
  socket_.async_write_some(rest, [self = shared_from_this()](const ErrorCode& error, size_t bytes) {
    self->OnWritten(error, bytes);
  });
}

void EventStream::OnWritten(const ErrorCode& error, size_t bytes) {
  if (closed_) return;
  if (error) return Close();
  written_ += bytes;
  if (written_ < out_.size()) return WriteSome();
  writing_ = false;
  stall_.cancel();
  written_ = 0;
  out_ = Outgoing();
  share_ = nullptr;
  Pump();
}

void EventStream::SetBeat(std::chrono::milliseconds delay) {
  beat_.expires_after(delay);
  beat_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
    const auto self = weak.lock();
    if (!error && self != nullptr) self->OnBeat();
  });
}

void EventStream::OnBeat() {
  if (closed_) return;
  SetBeat(server_.limits.heartbeat);
  if (!head_sent_) {
    head_due_ = true;
    return Pump();
  }
  if (writing_ || last_) return;
  out_.own = kHeartbeat;
  Write();
}

}  // namespace tutti::http
