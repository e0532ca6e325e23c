#include "tests/unit/coordinator/api/http/blocking_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <utility>

namespace tutti::http {
namespace {

constexpr timeval kTimeout{10, 0};

void SetTimeouts(int fd) {
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof(kTimeout));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof(kTimeout));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

}  // namespace

std::string HttpAnswer::Field(std::string_view name) const {
  const std::string wanted = "\r\n" + Lower(name) + ": ";
  const size_t at = Lower(head).find(wanted);
  if (at == std::string::npos) return "";
  const size_t begin = at + wanted.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

BlockingClient::BlockingClient(int port, int receive_bytes)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_bytes > 0) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
  SetTimeouts(fd_);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

BlockingClient::BlockingClient(const std::string& path)
    : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  SetTimeouts(fd_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(fd_);
    fd_ = -1;
  }
}

BlockingClient::BlockingClient(BlockingClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)) {}

BlockingClient::~BlockingClient() {
  if (fd_ >= 0) close(fd_);
}

bool BlockingClient::Send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool BlockingClient::Fill() {
  char chunk[65536];
  const ssize_t size = recv(fd_, chunk, sizeof(chunk), 0);
  if (size <= 0) return false;
  received_.append(chunk, static_cast<size_t>(size));
  return true;
}

std::string BlockingClient::ReadUntil(std::string_view text) {
  while (text.empty() || received_.find(text) == std::string::npos) {
    if (!Fill()) return std::exchange(received_, "");
  }
  const size_t end = received_.find(text) + text.size();
  std::string result = received_.substr(0, end);
  received_.erase(0, end);
  return result;
}

HttpAnswer BlockingClient::Read(bool head_only) {
  HttpAnswer answer;
  const std::string head = ReadUntil("\r\n\r\n");
  if (head.size() < 12 || head.compare(0, 5, "HTTP/") != 0) return answer;
  answer.head = head;
  answer.status = std::atoi(head.c_str() + 9);
  const size_t length = std::strtoul(answer.Field("Content-Length").c_str(), nullptr, 10);
  if (head_only) return answer;
  while (received_.size() < length) {
    if (!Fill()) break;
  }
  answer.body = received_.substr(0, length);
  received_.erase(0, length);
  return answer;
}

bool BlockingClient::ReadAvailable(std::string& into) {
  into += std::exchange(received_, "");
  char chunk[65536];
  const ssize_t size = recv(fd_, chunk, sizeof(chunk), MSG_DONTWAIT);
  if (size > 0) into.append(chunk, static_cast<size_t>(size));
  return size > 0 || (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

std::string RequestText(std::string_view method, std::string_view target,
                        const std::vector<std::string>& fields, std::string_view body) {
  std::string text(method);
  text += " ";
  text += target;
  text += " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  for (const std::string& field : fields) text += field + "\r\n";
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  text += "\r\n";
  text += body;
  return text;
}

}  // namespace tutti::http
