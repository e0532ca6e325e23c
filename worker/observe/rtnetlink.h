// One request over rtnetlink (rtnetlink(7)) in the calling thread's network namespace.
#pragma once

#include <linux/netlink.h>

#include <cstddef>
#include <functional>
#include <string_view>

#include "absl/status/status.h"

namespace tutti::observe {

// Makes the request anew for each attempt in the buffer it is given, and returns its header.
using RtnetlinkBuilder = std::function<nlmsghdr*(char* buffer)>;

// Sends the request and calls `on_message` for each message of the answer, whose attributes are valid during
// the call only. A dump that the kernel reports as interrupted by a change is repeated from the start, after
// `on_restart`. Errors say `what` was asked.
absl::Status RtnetlinkRequest(std::string_view what, const RtnetlinkBuilder& build,
                              const std::function<void(const nlmsghdr*)>& on_message,
                              const std::function<void()>& on_restart);

// Calls `on_attribute` for each attribute after the message's fixed body, or inside a nested one. (libmnl's
// own loops are macros that C++ refuses.)
void ForEachAttribute(const nlmsghdr* header, size_t body_bytes,
                      const std::function<void(const nlattr*)>& on_attribute);
void ForEachNested(const nlattr* parent, const std::function<void(const nlattr*)>& on_attribute);

}  // namespace tutti::observe
