#include "coordinator/api/http/response_head.h"

namespace tutti::http {
namespace {

const char* ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

// The form of RFC 9110, 5.6.7. The process has the C locale, whose names of days and months these are.
std::string DateOf(time_t unix_s) {
  tm utc{};
  gmtime_r(&unix_s, &utc);
  char text[64] = {};
  strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return text;
}

void AddField(const std::string& name, const std::string& value, std::string& head) {
  head += name + ": " + value + "\r\n";
}

std::string Begin(int status, time_t now_unix_s) {
  std::string head = "HTTP/1.1 " + std::to_string(status) + " " + ReasonOf(status) + "\r\n";
  AddField("Date", DateOf(now_unix_s), head);
  // What is told may be different a moment later, and is no page for a browser to guess at.
  AddField("Cache-Control", "no-store", head);
  AddField("X-Content-Type-Options", "nosniff", head);
  return head;
}

}  // namespace

std::string ResponseHead(const Response& response, bool keep_alive, time_t now_unix_s) {
  std::string head = Begin(response.status, now_unix_s);
  if (!response.content_type.empty()) AddField("Content-Type", response.content_type, head);
  // RFC 9110, 8.6: a 204 has no length.
  if (response.status != 204) AddField("Content-Length", std::to_string(response.body.size()), head);
  for (const auto& [name, value] : response.fields) AddField(name, value, head);
  AddField("Connection", keep_alive ? "keep-alive" : "close", head);
  return head + "\r\n";
}

std::string EventStreamHead(time_t now_unix_s) {
  std::string head = Begin(200, now_unix_s);
  AddField("Content-Type", "text/event-stream", head);
  AddField("Connection", "close", head);
  return head + "\r\n";
}

}  // namespace tutti::http
