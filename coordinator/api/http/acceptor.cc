#include "coordinator/api/http/acceptor.h"

#include <errno.h>
#include <string.h>

#include <chrono>
#include <utility>

#include "common/log/log.h"

namespace tutti::http {
namespace {

// Without a free descriptor the connection goes on waiting, and so do we.
constexpr std::chrono::milliseconds kPause(100);
// Others have their turn in between.
constexpr int kMostAtOnce = 64;

}  // namespace

Acceptor::Acceptor(boost::asio::io_context& io, ListeningSocket socket, OnConnection on_connection)
    : socket_(std::move(socket)),
      on_connection_(std::move(on_connection)),
      waiter_(io, socket_.fd()),
      pause_(io) {}

Acceptor::~Acceptor() { waiter_.release(); }

void Acceptor::Start() {
  if (stopped_) return;
  waiter_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const ErrorCode& error) {
    if (!error && !stopped_) TakeAll();
  });
}

void Acceptor::Stop() {
  stopped_ = true;
  ErrorCode ignored;
  waiter_.cancel(ignored);
  pause_.cancel();
}

void Acceptor::TakeAll() {
  for (int i = 0; i < kMostAtOnce; ++i) {
    const int fd = socket_.Accept();
    if (fd >= 0) {
      on_connection_(socket_, fd);
      continue;
    }
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) break;
    spdlog::warn("HTTP on {}: a connection cannot be taken: {}", socket_.endpoint().target, strerror(errno));
    pause_.expires_after(kPause);
    pause_.async_wait([this](const ErrorCode& error) {
      if (!error) Start();
    });
    return;
  }
  Start();
}

}  // namespace tutti::http
