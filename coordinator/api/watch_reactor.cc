#include "coordinator/api/watch_reactor.h"

#include <utility>

#include "absl/status/status.h"
#include "common/status/grpc_status.h"

namespace tutti::api {

WatchReactor* WatchReactor::Start(Operations& operations, Executor& writer, SharedUnsent unsent,
                                  const tutti::v1::WatchRequest& request) {
  const auto reactor =
      std::make_shared<WatchReactor>(operations, writer, std::move(unsent), request.run_id());
  reactor->Hold(reactor);
  operations.Watch(request, reactor,
                   [reactor](const absl::Status& status) { reactor->EndWith(ToGrpc(status)); });
  return reactor.get();
}

}  // namespace tutti::api
