#include "common/net/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <string>
#include <utility>

namespace tutti::net {
namespace {

constexpr char kForms[] = "write HOST, HOST:PORT, [IPV6]:PORT or unix:/PATH";

absl::Status Bad(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError("address \"" + text + "\": " + why + "; " + kForms);
}

bool IsNumericV4(const std::string& host) {
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool IsNumericV6(const std::string& host) {
  in6_addr address{};
  // A link-local address may carry %device.
  return inet_pton(AF_INET6, host.substr(0, host.find('%')).c_str(), &address) == 1;
}

bool IsLoopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::StatusOr<int> ParsePort(const std::string& text, const std::string& digits) {
  if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos) {
    return Bad(text, "port \"" + digits + "\" is not a number from 0 to 65535");
  }
  const int port = std::stoi(digits);
  if (port > 65535) return Bad(text, "port " + digits + " is over 65535");
  return port;
}

absl::StatusOr<Endpoint> ParseUnix(const std::string& text) {
  Endpoint endpoint;
  endpoint.is_unix = true;
  endpoint.loopback = true;
  endpoint.path = text.substr(5);
  if (endpoint.path.starts_with("//")) endpoint.path = endpoint.path.substr(2);
  if (endpoint.path.empty()) return Bad(text, "the path of the Unix socket is empty");
  constexpr size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (endpoint.path.size() > kMaxPath) {
    return absl::InvalidArgumentError("address \"" + text + "\": a Unix socket's path holds at most " +
                                      std::to_string(kMaxPath) + " bytes, this one has " +
                                      std::to_string(endpoint.path.size()) + "; choose a shorter one");
  }
  endpoint.target = "unix:" + endpoint.path;
  return endpoint;
}

}  // namespace

absl::StatusOr<Endpoint> ParseEndpoint(const std::string& text, int default_port) {
  if (text.empty()) return Bad(text, "it is empty");
  if (text.starts_with("unix:")) return ParseUnix(text);
  if (text.find_first_of(" \t\n/") != std::string::npos) return Bad(text, "it has a blank or a slash");

  Endpoint endpoint;
  std::string port;
  bool has_port = false;
  if (text.front() == '[') {
    const size_t end = text.find(']');
    if (end == std::string::npos) return Bad(text, "the closing bracket is missing");
    endpoint.host = text.substr(1, end - 1);
    const std::string rest = text.substr(end + 1);
    if (!IsNumericV6(endpoint.host)) return Bad(text, "there is no IPv6 address within the brackets");
    if (!rest.empty() && rest.front() != ':') return Bad(text, "\"" + rest + "\" after the bracket");
    has_port = !rest.empty();
    if (has_port) port = rest.substr(1);
  } else if (IsNumericV6(text)) {
    endpoint.host = text;
  } else {
    const size_t colon = text.find(':');
    if (colon != text.rfind(':')) return Bad(text, "it has several colons and is no IPv6 address");
    endpoint.host = text.substr(0, colon);
    has_port = colon != std::string::npos;
    if (has_port) port = text.substr(colon + 1);
    if (endpoint.host.empty()) return Bad(text, "the host is missing");
    const bool looks_numeric = endpoint.host.find_first_not_of("0123456789.") == std::string::npos;
    if (looks_numeric && !IsNumericV4(endpoint.host)) {
      return Bad(text, "\"" + endpoint.host + "\" is no IPv4 address");
    }
  }
  endpoint.port = default_port;
  if (has_port) {
    absl::StatusOr<int> parsed = ParsePort(text, port);
    if (!parsed.ok()) return parsed.status();
    endpoint.port = *parsed;
  }
  endpoint.loopback = IsLoopback(endpoint.host);
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  endpoint.target = (v6 ? "[" + endpoint.host + "]" : endpoint.host) + ":" + std::to_string(endpoint.port);
  return endpoint;
}

std::string PlainTextRefusal(const Endpoint& endpoint) {
  return "address " + endpoint.target +
         " is beyond this host and the connection would be plain text; say --insecure if that is meant "
         "(every result will say so), or use a loopback address or a Unix socket";
}

}  // namespace tutti::net
