// One connection, whatever it does at present.
#pragma once

namespace tutti::http {

// Lives on the HTTP thread.
class Session {
 public:
  virtual ~Session() = default;
  // The server is about to end: finish what is under way, begin nothing.
  virtual void WindDown() = 0;
  // At once. Leaves the server's list.
  virtual void Close() = 0;
};

}  // namespace tutti::http
