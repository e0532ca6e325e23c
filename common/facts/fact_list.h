// A host's facts as one flat list: what the fingerprint is made of and what two hosts are compared by.
#pragma once

#include <string>
#include <vector>

#include "tutti/v1/host.pb.h"

namespace tutti {

struct Fact {
  std::string path;   // "turbo", "sysctls[net.core.rmem_max]", "devices[eth0].rings.rx"
  std::string value;  // "true", "212992"; of several CPUs "0-3,8", of several texts all with blanks between
  bool in_fingerprint = true;
};

// Every fact that is known, by path, each path once. What is not known (null, an empty list, an empty text)
// is not in it, nor are `missing` and `fingerprint`, which are about the others. Made by reflection: a new
// field is in it without anybody's doing. Things of which there are several are told apart by their first
// field, so their order does not matter. Pure.
//
// Not in the fingerprint is what changes from boot to boot or from run to run though nobody set anything:
//  - boot_id and addresses;
//  - net.ipv4.tcp_mem and udp_mem, which the kernel computes from the memory that is free while it boots
//    (tcp_init_mem in net/ipv4/tcp.c), and tcp_available_congestion_control, which grows as modules are
//    loaded;
//  - interrupt_affinities, which irqbalance moves;
//  - devices without hardware and without an address that is not link-local: containers come and go.
std::vector<Fact> ListFacts(const v1::HostFacts& facts);

}  // namespace tutti
