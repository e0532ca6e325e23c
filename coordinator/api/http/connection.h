// One client's requests, one after the other.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "coordinator/api/http/asio_socket.h"
#include "coordinator/api/http/message.h"
#include "coordinator/api/http/request_reader.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/http/same_site.h"
#include "coordinator/api/http/server_state.h"
#include "coordinator/api/http/session.h"

namespace tutti::http {

// Lives on the HTTP thread, by what it waits for and by the server's list. Every wait has a deadline but the
// one for an answer, which Operations owes. A request for events hands the socket to an EventStream.
class Connection final : public Session, public std::enable_shared_from_this<Connection> {
 public:
  // `server` outlives it.
  Connection(Socket socket, SiteRule site, ServerState& server);

  void Start();
  void WindDown() override;
  void Close() override;

 private:
  enum class Phase {
    kIdle,       // between two requests
    kHead,       // some of a head may be here
    kBody,       // some of a body may be here
    kAnswering,  // Operations is asked
    kWriting,
    kLingering,  // the last answer is out; what the client still sends is dropped
    kClosed,
  };

  void Read();
  void OnRead(const ErrorCode& error, size_t bytes);
  void Proceed();
  void OnHead();
  void OnRequest();
  void StartEvents();
  Reply MakeReply();
  void Answer(uint64_t exchange_number, Response response);

  void Send(Response response, bool keep_alive);
  void WriteSome();
  void OnWritten(const ErrorCode& error, size_t bytes);
  void OnAllWritten();
  void AwaitRequest();
  void Linger();

  void SetDeadline(std::chrono::milliseconds delay);
  void ClearDeadline();
  void OnDeadline();

  Socket socket_;
  const SiteRule site_;
  ServerState& server_;
  Timer deadline_;
  uint64_t deadline_number_ = 0;  // of the one that holds: an older one may have fired already

  Phase phase_ = Phase::kHead;
  RequestReader reader_;
  std::array<char, 8192> chunk_{};
  bool received_ = false;   // anything at all
  bool timed_out_ = false;  // the read under way was cancelled for it
  std::shared_ptr<Exchange> exchange_;
  uint64_t exchange_number_ = 0;

  std::string head_;                   // being written, then the body
  std::shared_ptr<const void> share_;  // of UnsentBytes, for the body; goes behind it
  std::string body_;
  size_t written_ = 0;
  bool keep_alive_ = false;  // after what is being written
  bool continues_ = false;   // what is being written is "100 Continue"
};

}  // namespace tutti::http
