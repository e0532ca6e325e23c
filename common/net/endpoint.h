// Addresses as they are written: "unix:/path", "host:port", "[v6]:port".
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tutti::net {

inline constexpr int kDefaultPort = 7117;

struct Endpoint {
  bool is_unix = false;
  std::string path;  // of the Unix socket
  std::string host;
  int port = 0;
  bool loopback = false;  // a Unix socket, or a numeric loopback address, or "localhost"
  std::string target;     // as gRPC wants it
};

// A missing port is `default_port`; port 0 lets the kernel choose (servers only). IPv6 addresses with a port
// need brackets. InvalidArgument with what is wrong and what to write instead. Pure; thread-safe.
absl::StatusOr<Endpoint> ParseEndpoint(const std::string& text, int default_port = kDefaultPort);

// The sentence for a plain-text address beyond loopback that was not allowed by name.
std::string PlainTextRefusal(const Endpoint& endpoint);

}  // namespace tutti::net
