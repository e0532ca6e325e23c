// What an event stream has yet to send: filled where events happen, emptied where they are written.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

namespace tutti::http {

// Events come in on any thread. Take and Stop are the HTTP thread's.
class EventFeed {
 public:
  // Called on any thread when something has come since the last Take; must not block.
  using Wake = std::function<void()>;

  struct State {
    bool ended = false;    // nothing is left and nothing will come
    absl::Status refusal;  // not ok: there is nothing to watch; nothing will come
  };

  virtual ~EventFeed() = default;

  // Appends the text of waiting events (server-sent events, HTML section 9.2) to `out` until that has at
  // least `enough_bytes` or none is left.
  virtual State Take(size_t enough_bytes, std::string& out) = 0;

  // Nobody reads any more.
  virtual void Stop() = 0;
};

}  // namespace tutti::http
