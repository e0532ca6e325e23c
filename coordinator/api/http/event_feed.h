// What an event stream has yet to send: filled where events happen, emptied where they are written.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "coordinator/api/http/shared_text.h"

namespace tutti::http {

// What goes to one client next: a text of its own, and behind it one that others are sent too.
struct Outgoing {
  std::string own;
  std::shared_ptr<const SharedText> shared;  // null: none

  size_t size() const { return own.size() + (shared == nullptr ? 0 : shared->text.size()); }
};

// Events come in on any thread. Take and Stop are the HTTP thread's.
class EventFeed {
 public:
  // Called on any thread when something has come since the last Take; must not block.
  using Wake = std::function<void()>;

  struct State {
    bool ended = false;    // nothing is left and nothing will come
    absl::Status refusal;  // not ok: there is nothing to watch, or no going on with it; nothing will come
  };

  virtual ~EventFeed() = default;

  // Appends the text of waiting events (server-sent events, HTML section 9.2) to `out`, which has no shared
  // one yet, until its own has at least `enough_bytes`, it has a shared one or none is left.
  virtual State Take(size_t enough_bytes, Outgoing& out) = 0;

  // Nobody reads any more.
  virtual void Stop() = 0;
};

}  // namespace tutti::http
