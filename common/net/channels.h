// The one factory of gRPC channels and servers: every gRPC connection of the project goes through here, so
// that TLS and limits have one place.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/net/endpoint.h"
#include "common/net/socket_lock.h"

namespace tutti::net {

inline constexpr int kMaxMessageBytes = 256 * 1024 * 1024;

struct ChannelOptions {
  bool insecure = false;  // named by the user: plain text beyond loopback is allowed
};

// Connects lazily. Each channel has connections of its own. Refused (FailedPrecondition) for an address
// beyond Unix sockets and loopback unless insecure.
absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const Endpoint& endpoint,
                                                           const ChannelOptions& options);

struct ServerOptions {
  std::vector<std::string> listen;       // endpoints
  bool insecure = false;                 // as above
  std::vector<grpc::Service*> services;  // outlive the server
};

// Owns the server and its locks; shut `server` down before the services go.
struct Server {
  std::vector<SocketLock> locks;  // of the Unix sockets; given up after the server is gone
  std::unique_ptr<grpc::Server> server;
  std::vector<Endpoint> bound;  // with the ports that were chosen
  bool insecure = false;        // it listens in plain text beyond loopback
};

// With health and reflection. Nothing is bound where one of the addresses is refused (FailedPrecondition, as
// above). A used port or a socket path held by a live daemon is an error: a Unix socket is locked (flock on
// PATH.lock) before it is bound, since gRPC would silently take over the path of a live server.
absl::StatusOr<Server> StartServer(const ServerOptions& options);

}  // namespace tutti::net
