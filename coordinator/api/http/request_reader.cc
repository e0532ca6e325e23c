#include "coordinator/api/http/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cctype>
#include <cstdint>
#include <utility>

#include "coordinator/api/http/error_envelope.h"

namespace tutti::http {
namespace {

namespace beast_http = boost::beast::http;

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";
// "OPTIONS " and " HTTP/1.1" around the target, with room.
constexpr size_t kAroundTarget = 64;

std::string Text(boost::beast::string_view text) { return std::string(text.data(), text.size()); }

// A head is lines that end with CR LF; anything else (TLS, a terminal's bare line feeds) is told at once
// rather than when its time is over.
bool IsHeadByte(std::string_view input, size_t at) {
  const auto byte = static_cast<unsigned char>(input[at]);
  if (byte == '\n') return at > 0 && input[at - 1] == '\r';
  return byte >= 0x20 ? byte != 0x7F : byte == '\r' || byte == '\t';
}

Response Malformed(const std::string& why) {
  return ErrorResponse(400, "invalid_argument", "this is no HTTP/1.1 request: " + why);
}

}  // namespace

struct RequestReader::Parser {
  beast_http::request_parser<beast_http::string_body> parser;
};

RequestReader::RequestReader(const Limits& limits) : limits_(limits) { Begin(); }
RequestReader::~RequestReader() = default;

void RequestReader::Begin() {
  state_ = State::kHead;
  looked_at_ = 0;
  request_ = Request();
  parser_ = std::make_unique<Parser>();
  parser_->parser.body_limit(static_cast<std::uint64_t>(limits_.body_bytes));
  // The limit that holds is ours; this one is only not to be met before.
  parser_->parser.header_limit(static_cast<std::uint32_t>(limits_.head_bytes + kAroundTarget));
}

Request RequestReader::TakeRequest() {
  Request taken = std::move(request_);
  Begin();
  return taken;
}

RequestReader::Step RequestReader::Advance() {
  switch (state_) {
    case State::kHead:
      return ReadHead();
    case State::kBody:
      return ReadBody();
    case State::kDone:
      return Step::kRequest;
    case State::kFailed:
      break;
  }
  return Step::kFailed;
}

RequestReader::Step RequestReader::Fail(Response response) {
  state_ = State::kFailed;
  failure_ = std::move(response);
  return Step::kFailed;
}

RequestReader::Step RequestReader::FailBodyTooLong() {
  return Fail(ErrorResponse(413, "payload_too_large",
                            "the body is longer than " + std::to_string(limits_.body_bytes) +
                                " bytes, which is the most that is taken"));
}

RequestReader::Step RequestReader::ReadHead() {
  // RFC 9112, 2.2: an empty line before a request counts for nothing.
  while (looked_at_ == 0 && input_.compare(0, kLineEnd.size(), kLineEnd) == 0)
    input_.erase(0, kLineEnd.size());
  const size_t begin = looked_at_ < kHeadEnd.size() ? 0 : looked_at_ - kHeadEnd.size();
  const size_t end = input_.find(kHeadEnd, begin);
  const size_t head_bytes = end == std::string::npos ? input_.size() : end + kHeadEnd.size();
  for (; looked_at_ < head_bytes; ++looked_at_) {
    if (!IsHeadByte(input_, looked_at_)) return Fail(Malformed("a byte that no head has"));
  }
  const size_t line = std::min(input_.find(kLineEnd), head_bytes);
  if (line > limits_.target_bytes + kAroundTarget) {
    return Fail(
        ErrorResponse(414, "uri_too_long",
                      "the address is longer than " + std::to_string(limits_.target_bytes) + " bytes"));
  }
  if (head_bytes > limits_.head_bytes) {
    return Fail(ErrorResponse(431, "header_too_large",
                              "the head is longer than " + std::to_string(limits_.head_bytes) + " bytes"));
  }
  if (end == std::string::npos) return Step::kNeedMore;

  boost::beast::error_code error;
  const size_t used = parser_->parser.put(boost::asio::const_buffer(input_.data(), head_bytes), error);
  if (error == beast_http::error::body_limit) return FailBodyTooLong();
  if (error) return Fail(Malformed(error.message()));
  input_.erase(0, used);
  TakeHead();
  if (request_.target.size() > limits_.target_bytes) {
    return Fail(
        ErrorResponse(414, "uri_too_long",
                      "the address is longer than " + std::to_string(limits_.target_bytes) + " bytes"));
  }
  // Without `chunked` nobody knows where such a body ends.
  if (request_.Find("transfer-encoding") != nullptr && !parser_->parser.chunked()) {
    return Fail(ErrorResponse(501, "unimplemented", "of the transfer encodings only chunked is known"));
  }
  state_ = parser_->parser.is_done() ? State::kDone : State::kBody;
  return Step::kHead;
}

void RequestReader::TakeHead() {
  const auto& head = parser_->parser.get();
  request_.method = Text(head.method_string());
  request_.target = Text(head.target());
  request_.minor_version = head.version() >= 11 ? 1 : 0;
  request_.keep_alive = parser_->parser.keep_alive();
  request_.has_body = !parser_->parser.is_done();
  for (const auto& field : head) {
    std::string name = Text(field.name_string());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    request_.fields.emplace_back(std::move(name), Text(field.value()));
  }
}

RequestReader::Step RequestReader::ReadBody() {
  auto& parser = parser_->parser;
  parser.eager(true);
  size_t at = 0;
  while (!parser.is_done() && at < input_.size()) {
    boost::beast::error_code error;
    const size_t used = parser.put(boost::asio::const_buffer(input_.data() + at, input_.size() - at), error);
    at += used;
    if (error == beast_http::error::need_more) break;
    if (error == beast_http::error::body_limit) return FailBodyTooLong();
    if (error) return Fail(Malformed(error.message()));
    if (used == 0) break;
  }
  input_.erase(0, at);
  if (parser.is_done()) {
    request_.body = std::move(parser.get().body());
    state_ = State::kDone;
    return Step::kRequest;
  }
  // The extensions of a chunk or the fields behind the last one, which wait here until they are whole.
  if (input_.size() > limits_.head_bytes) {
    return Fail(ErrorResponse(
        431, "header_too_large",
        "what stands between the chunks is longer than " + std::to_string(limits_.head_bytes) + " bytes"));
  }
  return Step::kNeedMore;
}

}  // namespace tutti::http
