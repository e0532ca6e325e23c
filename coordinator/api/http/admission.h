// Whether a request may go on, by its head alone: a body that will not be used is never waited for. Pure;
// thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/api/http/message.h"
#include "coordinator/api/http/route.h"
#include "coordinator/api/http/same_site.h"

namespace tutti::http {

struct Admission {
  std::optional<Response> answer;      // it ends here: an error, or OPTIONS
  std::unique_ptr<Exchange> exchange;  // otherwise; the body is yet to come
};

// `routes` outlives the exchange.
Admission Admit(const std::vector<Route>& routes, const Request& head, const SiteRule& rule);

// "application/json" of "Application/JSON; charset=utf-8"; empty where there is no such field.
std::string MediaTypeOf(const Request& request);

inline constexpr char kJsonType[] = "application/json";
inline constexpr char kYamlType[] = "application/yaml";

}  // namespace tutti::http
