// What the routes below /v1/workers do. See Handler and StreamOpener in route.h.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "coordinator/api/http/route.h"

namespace tutti::http {

void ListWorkers(const Context& context, const Exchange& exchange, Reply reply);
void GetWorker(const Context& context, const Exchange& exchange, Reply reply);
void ForgetWorker(const Context& context, const Exchange& exchange, Reply reply);
void DrainWorker(const Context& context, const Exchange& exchange, Reply reply);
void UndrainWorker(const Context& context, const Exchange& exchange, Reply reply);

absl::StatusOr<std::shared_ptr<EventFeed>> WatchFleet(const Context& context, const Exchange& exchange,
                                                      EventFeed::Wake wake);

}  // namespace tutti::http
