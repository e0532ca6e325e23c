#include "worker/load/int_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "worker/load/socket_options.h"

namespace tutti::load {
namespace {

constexpr int kEcnBits = 3;
constexpr const char* kEcnWords[] = {"not_ect", "ect1", "ect0", "ce"};  // RFC 3168, section 5

// What a way to send or receive needs of the socket.
void AddWayOptions(const StreamConfig& config, std::vector<IntOption>& options) {
  const bool udp = config.protocol == Protocol::kUdp;
  if (config.side == Side::kReceive) {
    if (udp && config.ways.receive == ReceiveWay::kGro) {
      options.push_back({.name = kUdpGroOption,
                         .level = SOL_UDP,
                         .option = UDP_GRO,
                         .value = 1,
                         .advice = "Linux 5.0 and later join datagrams; write receive: recvmmsg"});
    }
    return;
  }
  if (udp && config.ways.send == SendWay::kGso) {
    options.push_back({.name = kUdpSegmentOption,
                       .level = SOL_UDP,
                       .option = UDP_SEGMENT,
                       .value = static_cast<int>(config.message_size_bytes),
                       .unit = "B",
                       .advice = "Linux 4.18 and later cut segments; write send: sendmmsg"});
  }
  if (config.ways.send == SendWay::kZerocopy) {
    options.push_back({.name = kZerocopyOption,
                       .level = SOL_SOCKET,
                       .option = SO_ZEROCOPY,
                       .value = 1,
                       .advice = "Linux has it for TCP since 4.14, for UDP since 5.0; write send: write"});
  }
}

void AddTcp(const StreamConfig& config, std::vector<IntOption>& options) {
  if (config.nodelay) {
    options.push_back(
        {.name = "TCP_NODELAY", .level = IPPROTO_TCP, .option = TCP_NODELAY, .value = *config.nodelay});
  }
  if (config.mss_bytes) {
    options.push_back({.name = "TCP_MAXSEG",
                       .level = IPPROTO_TCP,
                       .option = TCP_MAXSEG,
                       .value = static_cast<int>(std::min<uint32_t>(*config.mss_bytes, INT_MAX)),
                       .unit = "B",
                       .advice = "Linux takes 88 to 32767",
                       .kept_on_connection = false});
  }
}

// DSCP and ECN are one byte of the header, so that both options set all of it and each answers for its bits.
void AddTypeOfService(sa_family_t family, const StreamConfig& config, std::vector<IntOption>& options) {
  const bool v6 = family == AF_INET6;
  const auto dscp = static_cast<int>(std::min<uint32_t>(config.dscp.value_or(0), 255));
  const auto ecn = static_cast<int>(config.marks.ecn.value_or(0) & kEcnBits);
  IntOption option{.name = "",
                   .level = v6 ? IPPROTO_IPV6 : IPPROTO_IP,
                   .option = v6 ? IPV6_TCLASS : IP_TOS,
                   .value = dscp << 2 | ecn};
  if (config.dscp) {
    option.name = v6 ? "DSCP (IPV6_TCLASS)" : "DSCP (IP_TOS)";
    option.mask = ~kEcnBits;
    option.shift = 2;
    option.advice = "a DSCP is 0 to 63";
    options.push_back(option);
  }
  if (config.marks.ecn) {
    option.name = v6 ? "ECN (IPV6_TCLASS)" : "ECN (IP_TOS)";
    option.mask = kEcnBits;
    option.shift = 0;
    option.words = kEcnWords;
    option.advice = "TCP keeps these bits for itself";
    options.push_back(option);
  }
}

}  // namespace

std::string IntOption::Show(int bits) const {
  const auto shown = static_cast<uint32_t>((bits & mask) >> shift);
  return shown < words.size() ? words[shown] : absl::StrCat(shown, unit);
}

std::vector<IntOption> IntOptions(sa_family_t family, const StreamConfig& config) {
  std::vector<IntOption> options;
  AddWayOptions(config, options);
  if (config.protocol == Protocol::kTcp) AddTcp(config, options);
  AddTypeOfService(family, config, options);
  if (config.marks.priority) {
    options.push_back({.name = "SO_PRIORITY",
                       .level = SOL_SOCKET,
                       .option = SO_PRIORITY,
                       .value = static_cast<int>(std::min<uint32_t>(*config.marks.priority, INT_MAX)),
                       .advice = "above 6 it needs CAP_NET_ADMIN"});
  }
  if (config.marks.mark) {
    options.push_back({.name = "SO_MARK",
                       .level = SOL_SOCKET,
                       .option = SO_MARK,
                       .value = static_cast<int>(*config.marks.mark),
                       .advice = "it needs CAP_NET_ADMIN"});
  }
  return options;
}

}  // namespace tutti::load
