// The one table of what the HTTP API has. A new route is one entry; the OpenAPI document follows from it.
#pragma once

#include <vector>

#include "coordinator/api/http/route.h"

namespace tutti::http {

// Thread-safe; never changes.
const std::vector<Route>& Routes();

}  // namespace tutti::http
