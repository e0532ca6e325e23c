// The head of a response as it goes over the wire. Pure; thread-safe.
#pragma once

#include <time.h>

#include <string>

#include "coordinator/api/http/message.h"

namespace tutti::http {

// With the body's length; `now_unix_s` is the Date.
std::string ResponseHead(const Response& response, bool keep_alive, time_t now_unix_s);
// Of an event stream, which ends with its connection.
std::string EventStreamHead(time_t now_unix_s);

inline constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace tutti::http
