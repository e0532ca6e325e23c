// Takes the connections of one listening socket.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "coordinator/api/http/asio_socket.h"
#include "coordinator/api/http/listening_socket.h"

namespace tutti::http {

// Lives on the thread of `io`, which it outlives no longer than that runs.
class Acceptor {
 public:
  // Owns `fd` from then on.
  using OnConnection = std::function<void(const ListeningSocket& from, int fd)>;

  Acceptor(boost::asio::io_context& io, ListeningSocket socket, OnConnection on_connection);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  void Start();
  // Takes no more.
  void Stop();

 private:
  void TakeAll();

  ListeningSocket socket_;
  const OnConnection on_connection_;
  boost::asio::posix::stream_descriptor waiter_;  // of the socket's descriptor, which it does not own
  Timer pause_;
  bool stopped_ = false;
};

}  // namespace tutti::http
