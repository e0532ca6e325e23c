#include "coordinator/api/http/same_site.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "common/status/printable.h"
#include "coordinator/api/http/error_envelope.h"

namespace tutti::http {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// "host" of "host:port" and of "[v6]:port".
std::string HostOf(std::string_view authority) {
  if (!authority.empty() && authority.front() == '[') {
    const size_t end = authority.find(']');
    return Lower(authority.substr(1, end == std::string_view::npos ? end : end - 1));
  }
  return Lower(authority.substr(0, authority.find(':')));
}

bool IsAddress(const std::string& host) {
  in_addr v4{};
  in6_addr v6{};
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 || inet_pton(AF_INET6, host.c_str(), &v6) == 1;
}

}  // namespace

std::optional<Response> RefuseOtherSites(const Request& request, const std::string& authority,
                                         const SiteRule& rule) {
  if (rule.is_unix) return std::nullopt;
  const auto hosts = std::count_if(request.fields.begin(), request.fields.end(),
                                   [](const auto& field) { return field.first == "host"; });
  if (hosts > 1 || (hosts == 0 && request.minor_version >= 1)) {
    return ErrorResponse(400, "invalid_argument", "a request has one Host field");
  }
  const std::string* field = request.Find("host");
  const std::string named = !authority.empty() ? authority : field == nullptr ? std::string() : *field;
  const std::string host = HostOf(named);
  if (rule.loopback && !named.empty() && !IsAddress(host) && host != "localhost" &&
      host != Lower(rule.name)) {
    return ErrorResponse(403, "permission_denied",
                         "the request is for \"" + Printable(named) +
                             "\", which is not this coordinator; use the address that it listens on");
  }
  const std::string* origin = request.Find("origin");
  if (origin != nullptr && (named.empty() || Lower(*origin) != "http://" + Lower(named))) {
    return ErrorResponse(403, "permission_denied",
                         "the request comes from the page of another site, \"" + Printable(*origin) + "\"");
  }
  return std::nullopt;
}

}  // namespace tutti::http
