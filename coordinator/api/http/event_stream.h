// One client's event stream, which takes over the socket of the connection that asked for it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>

#include "coordinator/api/http/asio_socket.h"
#include "coordinator/api/http/event_feed.h"
#include "coordinator/api/http/message.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/http/server_state.h"
#include "coordinator/api/http/session.h"

namespace tutti::http {

// Lives on the HTTP thread, by what it waits for and by the server's list. Ends with its feed, with its
// client, or when the client's socket takes nothing for Limits::stall. What a slow client has not read waits
// in the feed, as events that readers share; what is a text already counts as unsent.
class EventStream final : public Session, public std::enable_shared_from_this<EventStream> {
 public:
  // `server` outlives it.
  EventStream(Socket socket, ServerState& server);

  void Start(const Exchange& exchange);
  void WindDown() override;
  void Close() override;

 private:
  void WatchForHangUp();
  void Pump();
  void TakeFromFeed();
  void Finish(const Response& response);
  void Write();
  void WriteSome();
  void OnWritten(const ErrorCode& error, size_t bytes);
  void SetBeat(std::chrono::milliseconds delay);
  void OnBeat();

  Socket socket_;
  ServerState& server_;
  Timer beat_;                       // the head that waits for an event, then heartbeats
  Timer stall_;                      // of the write under way
  std::shared_ptr<EventFeed> feed_;  // null: it could not be opened
  std::array<char, 512> dropped_{};  // what the client sends

  std::shared_ptr<const void> share_;  // of UnsentBytes, for what is its own; goes behind it
  Outgoing out_;
  size_t written_ = 0;
  bool writing_ = false;
  bool head_sent_ = false;
  bool head_due_ = false;  // also without an event
  bool last_ = false;      // nothing follows what is in out_
  bool winding_down_ = false;
  bool closed_ = false;
};

}  // namespace tutti::http
