// What the routes about the coordinator itself do. See Handler in route.h.
#pragma once

#include "coordinator/api/http/route.h"

namespace tutti::http {

void GetOpenApi(const Context& context, const Exchange& exchange, Reply reply);
// The process lives and answers.
void GetHealth(const Context& context, const Exchange& exchange, Reply reply);
// It takes runs; 503 while it drains.
void GetReadiness(const Context& context, const Exchange& exchange, Reply reply);
void GetMetrics(const Context& context, const Exchange& exchange, Reply reply);

// Of Prometheus' text format.
inline constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace tutti::http
