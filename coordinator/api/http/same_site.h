// What keeps the pages of other sites, open in the browser of somebody on this host, from using the API
// through it: it has no password, only an address that others cannot reach. Pure; thread-safe.
#pragma once

#include <optional>
#include <string>

#include "coordinator/api/http/message.h"

namespace tutti::http {

// Of the address that a connection came to.
struct SiteRule {
  bool is_unix = false;   // no browser comes that way: everything is allowed
  bool loopback = false;  // requests have to name this host, as rebound names of others do not
  std::string name;       // of the address, as its owner wrote it
};

// A refusal: the Host field is missing, doubled or names another host (400, 403), or there is an Origin that
// is not this site (403). `authority` is that of an absolute target and wins over Host; empty: there is none.
std::optional<Response> RefuseOtherSites(const Request& request, const std::string& authority,
                                         const SiteRule& rule);

}  // namespace tutti::http
