// The HTTP/JSON API: the questions of Operations as routes below /v1, and the events as server-sent events.
// docs/http-api.md is for its users.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/net/endpoint.h"
#include "coordinator/api/http/limits.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/operations.h"

namespace tutti::http {

struct HttpOptions {
  std::vector<std::string> listen;  // endpoints, see common/net/endpoint.h; the port may be left out
  bool insecure = false;            // plain text beyond loopback is allowed by name
  MetricsPage metrics_page;         // null: /metrics is 404
  Limits limits;
};

// Two threads of its own: one does all I/O and waits for nothing else, one makes the answers. Thread-safe.
class HttpServer {
 public:
  // Listens when this returns. `operations` outlives the server. InvalidArgument and FailedPrecondition for
  // an address, else the status of the bind.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                           api::Operations& operations);

  // Takes no more connections, lets answers and events that are on their way go out for Limits::last_writes,
  // and ends the rest.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // What /readyz says; true at first.
  void SetReady(bool ready);

  // With the ports that were chosen.
  const std::vector<net::Endpoint>& bound() const;

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);

  const std::unique_ptr<Core> core_;
};

}  // namespace tutti::http
