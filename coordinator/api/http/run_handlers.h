// What the routes below /v1/runs and /v1/plans do. See Handler and StreamOpener in route.h.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "coordinator/api/http/route.h"

namespace tutti::http {

void SubmitRun(const Context& context, const Exchange& exchange, Reply reply);
void ListRuns(const Context& context, const Exchange& exchange, Reply reply);
void GetRun(const Context& context, const Exchange& exchange, Reply reply);
void DeleteRun(const Context& context, const Exchange& exchange, Reply reply);
void CancelRun(const Context& context, const Exchange& exchange, Reply reply);
void ListEvents(const Context& context, const Exchange& exchange, Reply reply);
void WhyNot(const Context& context, const Exchange& exchange, Reply reply);
void GetResult(const Context& context, const Exchange& exchange, Reply reply);
void ValidatePlan(const Context& context, const Exchange& exchange, Reply reply);
void DryRunPlan(const Context& context, const Exchange& exchange, Reply reply);

absl::StatusOr<std::shared_ptr<EventFeed>> WatchRun(const Context& context, const Exchange& exchange,
                                                    EventFeed::Wake wake);

}  // namespace tutti::http
