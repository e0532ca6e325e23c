// Which route a path belongs to. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/api/http/route.h"

namespace tutti::http {

// "/v1/runs/{id}" in parts: {"v1", "runs", "{id}"}.
std::vector<std::string> SplitPattern(std::string_view pattern);
// "id" of "{id}"; empty for a part that stands for itself.
std::string VariableOf(std::string_view part);

struct RouteMatch {
  const Route* route = nullptr;  // null: no route has this path, or none of those that have has the method
  std::vector<std::string> variables;  // not empty: none is
  std::string allowed;                 // "GET, HEAD, OPTIONS"; empty: no route has this path
};

// HEAD belongs to the route of GET unless that is an event stream.
RouteMatch FindRoute(const std::vector<Route>& routes, std::string_view method,
                     const std::vector<std::string>& segments);

}  // namespace tutti::http
