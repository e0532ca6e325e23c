#include "coordinator/api/http/router.h"

#include <optional>

namespace tutti::http {
namespace {

constexpr std::string_view kHead = "HEAD";
constexpr std::string_view kGet = "GET";

std::optional<std::vector<std::string>> Match(std::string_view pattern,
                                              const std::vector<std::string>& segments) {
  const std::vector<std::string> parts = SplitPattern(pattern);
  if (parts.size() != segments.size()) return std::nullopt;
  std::vector<std::string> variables;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (VariableOf(parts[i]).empty()) {
      if (parts[i] != segments[i]) return std::nullopt;
    } else if (segments[i].empty()) {
      return std::nullopt;
    } else {
      variables.push_back(segments[i]);
    }
  }
  return variables;
}

}  // namespace

std::vector<std::string> SplitPattern(std::string_view pattern) {
  std::vector<std::string> parts;
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // the slash
    const size_t end = pattern.find('/');
    parts.emplace_back(pattern.substr(0, end));
    pattern.remove_prefix(end == std::string_view::npos ? pattern.size() : end);
  }
  return parts;
}

std::string VariableOf(std::string_view part) {
  if (part.size() < 2 || part.front() != '{' || part.back() != '}') return "";
  return std::string(part.substr(1, part.size() - 2));
}

RouteMatch FindRoute(const std::vector<Route>& routes, std::string_view method,
                     const std::vector<std::string>& segments) {
  RouteMatch match;
  std::string_view pattern;
  for (const Route& route : routes) {
    if (pattern.empty()) {
      std::optional<std::vector<std::string>> variables = Match(route.pattern, segments);
      if (!variables) continue;
      pattern = route.pattern;
      match.variables = *std::move(variables);
    }
    if (pattern != route.pattern) continue;
    const bool has_head = route.method == kGet && route.open == nullptr;
    if (method == route.method || (method == kHead && has_head)) match.route = &route;
    match.allowed += route.method;
    match.allowed += has_head ? ", HEAD, " : ", ";
  }
  if (!match.allowed.empty()) match.allowed += "OPTIONS";
  return match;
}

}  // namespace tutti::http
