// The socket type of the server's connections, TCP or Unix.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

namespace tutti::http {

using Socket = boost::asio::generic::stream_protocol::socket;
using Timer = boost::asio::steady_timer;
using ErrorCode = boost::system::error_code;

}  // namespace tutti::http
