// Asks the kernel which device a stream leaves by (RTM_GETROUTE), in the calling thread's network namespace.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tutti::observe {

struct Route {
  std::string device;
  uint32_t mtu_bytes = 0;  // of the route if it sets one, else the device's
  bool local = false;      // the destination is an address of this host: the traffic stays in it
};

// From `source` to `destination`, numeric addresses of one family (IPv6 link-local ones with %device);
// `bound_device` as for SO_BINDTODEVICE, may be empty. InvalidArgument for what is no address, Unavailable
// where no route leads.
absl::StatusOr<Route> LookupRoute(const std::string& source, const std::string& destination,
                                  const std::string& bound_device);

// What the stream's user must know of the way it takes; empty: nothing. `expected_device` is the one that was
// asked for (`asked`) or else holds the source address.
std::string RouteWarning(const Route& route, const std::string& expected_device, bool asked,
                         const std::string& destination);

}  // namespace tutti::observe
