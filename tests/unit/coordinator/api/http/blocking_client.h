// A client of plain sockets, which sends what a test writes, right or wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::http {

struct HttpAnswer {
  int status = 0;  // 0: no answer came
  std::string head;
  std::string body;

  // Empty where there is no such field.
  std::string Field(std::string_view name) const;
};

// Every read ends after ten seconds. Not thread-safe.
class BlockingClient {
 public:
  // To 127.0.0.1. With `receive_bytes` the kernel keeps little of what is not read.
  explicit BlockingClient(int port, int receive_bytes = 0);
  // To a Unix socket.
  explicit BlockingClient(const std::string& path);
  BlockingClient(BlockingClient&& other) noexcept;
  BlockingClient& operator=(BlockingClient&&) = delete;
  ~BlockingClient();

  int fd() const { return fd_; }
  // False where the other end takes no more.
  bool Send(std::string_view text) const;
  // One answer; without the body for HEAD.
  HttpAnswer Read(bool head_only = false);
  // What came until `text` was in it; everything until the end where it never was.
  std::string ReadUntil(std::string_view text);
  std::string ReadToEnd() { return ReadUntil(""); }
  // Without waiting: more of what came. False at the end.
  bool ReadAvailable(std::string& into);

 private:
  bool Fill();

  int fd_ = -1;
  std::string received_;
};

// "GET /healthz HTTP/1.1", Host and the fields, each "Name: value"; with the body's length where there is
// one.
std::string RequestText(std::string_view method, std::string_view target,
                        const std::vector<std::string>& fields = {}, std::string_view body = {});

}  // namespace tutti::http
