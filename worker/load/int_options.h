// The options of a stream's socket that are one int, as data. Pure; thread-safe.
#pragma once

#include <sys/socket.h>

#include <span>
#include <string>
#include <vector>

#include "worker/load/stream_config.h"

namespace tutti::load {

struct IntOption {
  const char* name;
  int level;
  int option;
  int value;
  int mask = -1;  // the bits that are ours to set
  int shift = 0;  // as people write it: (value & mask) >> shift
  const char* unit = "";
  std::span<const char* const> words;  // of each value, where people write it as a word
  const char* advice = "";
  bool kept_on_connection = true;

  std::string Show(int bits) const;
};

// In the order in which they have to be set: IP_TOS sets the priority too (net/ipv4/ip_sockglue.c,
// ip_sock_set_tos). `family`: AF_INET or AF_INET6.
std::vector<IntOption> IntOptions(sa_family_t family, const StreamConfig& config);

}  // namespace tutti::load
