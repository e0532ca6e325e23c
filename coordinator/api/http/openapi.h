// The API described by itself: OpenAPI 3.0.3, made from the table of routes and the messages. Pure;
// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/api/http/route.h"

namespace tutti::http {

// JSON.
std::string OpenApiDocument(const std::vector<Route>& routes, std::string_view version);

}  // namespace tutti::http
