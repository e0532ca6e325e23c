// Asked and got: sets the options of a stream's socket and reads each one back.
//
// A buffer counts as applied when getsockopt gives twice the asked size: Linux doubles it for its own
// bookkeeping (socket(7)), and "at least what was asked" would pass silently for a buffer that was clamped
// and doubled. Where the plain option is clamped, SO_*BUFFORCE is tried (needs CAP_NET_ADMIN) and the outcome
// is marked `forced`.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "worker/load/load_trial.h"

namespace tutti::load {

// As outcomes name the options of ways to send and receive.
inline constexpr char kUdpSegmentOption[] = "UDP_SEGMENT";
inline constexpr char kUdpGroOption[] = "UDP_GRO";
inline constexpr char kZerocopyOption[] = "SO_ZEROCOPY";

// nullptr if there is none of that name.
OptionOutcome* FindOutcome(std::vector<OptionOutcome>& outcomes, const char* name);

// Before bind, connect and listen: buffers decide the window scale of the handshake. Appends one outcome per
// option, all of them tried; the status is that of the first that could not be applied, or ok with
// best_effort. `family`: AF_INET or AF_INET6.
absl::Status SetSocketOptions(int fd, sa_family_t family, const StreamConfig& config,
                              std::vector<OptionOutcome>& outcomes);

// Once connected: reads back what the data socket really has (an accepted one inherits from its listener),
// the buffer and a sender's congestion control also where they were left to the kernel, and updates
// `outcomes`. The status is as above. TCP_MAXSEG counts as applied when the connection's segments carry what
// was asked, less the 12 B of timestamps where these are on: an unconnected socket only repeats what was set
// (net/ipv4/tcp.c, do_tcp_getsockopt).
absl::Status ReadBackSocketOptions(int fd, sa_family_t family, const StreamConfig& config,
                                   std::vector<OptionOutcome>& outcomes);

// Blocking calls return EAGAIN after `timeout_ns`, so that a stop is noticed.
absl::Status SetCallTimeouts(int fd, int64_t timeout_ns);

// SO_LINGER{1, 0}: closing resets the connection and keeps nothing, also when the process is killed.
absl::Status SetResetOnClose(int fd, bool on);

absl::Status SetBlocking(int fd, bool blocking);

// Of a connected socket; nullopt if the kernel does not say.
std::optional<uint64_t> PathMtuBytes(int fd, sa_family_t family);

// SK_MEMINFO_DROPS, a counter that wraps at 2^32: datagrams that this socket dropped.
std::optional<uint32_t> SocketDrops(int fd);

}  // namespace tutti::load
