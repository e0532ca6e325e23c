// Bytes of a connection into requests, one after the other, however they are cut. Boost.Beast reads the
// syntax; the limits are checked here, since its parser (1.74) takes any number of fields that come one by
// one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "coordinator/api/http/limits.h"
#include "coordinator/api/http/message.h"

namespace tutti::http {

// No I/O. Not thread-safe. Holds at most a head, a body within the limits and what came with them.
class RequestReader {
 public:
  enum class Step {
    kNeedMore,  // bytes
    kHead,      // request() is there but for its body
    kRequest,   // request() is complete
    kFailed,    // see failure(); the connection is of no further use
  };

  explicit RequestReader(const Limits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void Append(std::string_view bytes) { input_.append(bytes); }
  // The next thing that the bytes have; each request is told first as kHead.
  Step Advance();

  const Request& request() const { return request_; }
  // After kRequest: hands the request over and begins with the next one.
  Request TakeRequest();
  // Of a head: some of its body is yet to come.
  bool waits_for_body() const { return state_ == State::kBody; }
  const Response& failure() const { return failure_; }
  // Bytes are here that have not been read as part of a request yet.
  bool has_bytes() const { return !input_.empty(); }

 private:
  enum class State { kHead, kBody, kDone, kFailed };
  struct Parser;

  void Begin();
  Step ReadHead();
  Step ReadBody();
  Step Fail(Response response);
  Step FailBodyTooLong();
  void TakeHead();

  const Limits limits_;
  State state_ = State::kHead;
  std::string input_;
  size_t looked_at_ = 0;  // so many bytes of the head have been looked at
  std::unique_ptr<Parser> parser_;
  Request request_;
  Response failure_;
};

}  // namespace tutti::http
