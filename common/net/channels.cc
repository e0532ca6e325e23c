#include "common/net/channels.h"

#include <errno.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/status/errno_status.h"
#include "common/status/macros.h"

namespace tutti::net {
namespace {

// A peer whose host vanished is noticed within 25 s; the server allows pings that often.
constexpr int kKeepaliveTimeMs = 15'000;
constexpr int kKeepaliveTimeoutMs = 10'000;
constexpr int kMinPingIntervalMs = 5'000;

// gRPC keeps only that it failed, so the bind is tried once more for its errno.
absl::Status ExplainTcpBind(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (failed != 0) {
    return absl::InvalidArgumentError("listen on " + endpoint.target + ": " + gai_strerror(failed) +
                                      "; use an address of this host");
  }
  absl::Status status;
  for (addrinfo* each = found; each != nullptr && status.ok(); each = each->ai_next) {
    const int fd = socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, each->ai_addr, each->ai_addrlen) != 0 || listen(fd, 1) != 0) {
      const int error = errno;
      status =
          ErrnoStatus(error, "listen on " + endpoint.target,
                      error == EADDRINUSE ? "another daemon has the port: stop it, or choose another port"
                                          : "use an address of this host");
    }
    close(fd);
  }
  freeaddrinfo(found);
  return status;
}

absl::Status ExplainBindFailure(const std::vector<Endpoint>& endpoints) {
  for (const Endpoint& endpoint : endpoints) {
    if (endpoint.is_unix) {
      if (access(endpoint.path.substr(0, endpoint.path.rfind('/') + 1).c_str(), W_OK) != 0) {
        return ErrnoStatus(errno, "listen on " + endpoint.target);
      }
      continue;
    }
    TUTTI_RETURN_IF_ERROR(ExplainTcpBind(endpoint));
  }
  return absl::UnavailableError("listen: gRPC could not bind one of the addresses; its log lines say why");
}

void SetKeepalive(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

void EnableHealthAndReflectionOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

}  // namespace

absl::StatusOr<std::shared_ptr<grpc::Channel>> MakeChannel(const Endpoint& endpoint,
                                                           const ChannelOptions& options) {
  if (!endpoint.loopback && !options.insecure) {
    return absl::FailedPreconditionError(PlainTextRefusal(endpoint));
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A ping for each message, to size windows for bulk: a heartbeat would cost an idle host twice as much.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  // The first is no wait, but the time that one attempt to connect is given. Between the starts of two
  // attempts lie the initial to the maximal backoff, give or take a fifth; calls that are made meanwhile fail
  // at once (gRPC's doc/connection-backoff.md).
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  // A proxy of the environment is for the web; two channels of one process are two workers.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(endpoint.target, grpc::InsecureChannelCredentials(), arguments);
}

absl::StatusOr<Server> StartServer(const ServerOptions& options) {
  if (options.listen.empty()) return absl::InvalidArgumentError("listen: no address is given");
  Server result;
  for (const std::string& text : options.listen) {
    TUTTI_ASSIGN_OR_RETURN(const Endpoint endpoint, ParseEndpoint(text));
    if (!endpoint.loopback && !options.insecure) {
      return absl::FailedPreconditionError(PlainTextRefusal(endpoint));
    }
    result.insecure = result.insecure || !endpoint.loopback;
    result.bound.push_back(endpoint);
  }
  for (const Endpoint& endpoint : result.bound) {
    if (!endpoint.is_unix) continue;
    TUTTI_ASSIGN_OR_RETURN(SocketLock lock, SocketLock::Take(endpoint.path));
    result.locks.push_back(std::move(lock));
  }

  EnableHealthAndReflectionOnce();
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  SetKeepalive(builder);
  std::vector<int> ports(result.bound.size(), 0);
  for (size_t i = 0; i < result.bound.size(); ++i) {
    builder.AddListeningPort(result.bound[i].target, grpc::InsecureServerCredentials(), &ports[i]);
  }
  for (grpc::Service* service : options.services) builder.RegisterService(service);
  result.server = builder.BuildAndStart();
  if (result.server == nullptr) return ExplainBindFailure(result.bound);
  for (size_t i = 0; i < result.bound.size(); ++i) {
    if (result.bound[i].is_unix || result.bound[i].port == ports[i]) continue;
    const bool v6 = result.bound[i].host.find(':') != std::string::npos;
    result.bound[i].port = ports[i];
    result.bound[i].target =
        (v6 ? "[" + result.bound[i].host + "]" : result.bound[i].host) + ":" + std::to_string(ports[i]);
  }
  return result;
}

}  // namespace tutti::net
