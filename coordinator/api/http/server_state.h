// What the connections of one server share.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_set>
#include <utility>

#include "coordinator/api/http/limits.h"
#include "coordinator/api/http/post_gate.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/http/session.h"

namespace tutti::http {

// Belongs to the HTTP thread, but for `loop` and what `context` says of itself.
struct ServerState {
  ServerState(const Limits& limits_of_server, Context context_of_server)
      : limits(limits_of_server), context(std::move(context_of_server)) {}

  boost::asio::io_context io{1};  // one thread
  const Limits limits;
  const Context context;
  std::shared_ptr<PostGate> loop;  // to the HTTP thread

  std::unordered_set<std::shared_ptr<Session>> sessions;
  size_t event_streams = 0;  // of the sessions
  bool winding_down = false;
  std::function<void()> on_idle;  // called when the last session has gone

  void Enter(std::shared_ptr<Session> session) { sessions.insert(std::move(session)); }
  void Leave(const std::shared_ptr<Session>& session) {
    if (sessions.erase(session) > 0 && sessions.empty() && on_idle != nullptr) on_idle();
  }
};

}  // namespace tutti::http
