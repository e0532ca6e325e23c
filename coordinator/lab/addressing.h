// Names, addresses and clock offsets of a lab's hosts. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace tutti::lab {

inline constexpr int kMaxHosts = 1000;  // a bridge has 1023 ports
inline constexpr int kIpv4PrefixBits = 16;
inline constexpr int kIpv6PrefixBits = 64;
inline constexpr int kCoordinatorPort = 7117;

// `index` counts from 1.
std::string HostName(int index);          // "host1"
std::string HostIpv4(int index);          // 10.77.0.10 + index
std::string HostIpv6(int index);          // fd74:7574:7469::a + index
std::string HostLoopbackIpv4(int index);  // 127.0.0.10 + index
std::string BridgeIpv4();                 // 10.77.0.1
std::string BridgeIpv6();                 // fd74:7574:7469::1

}  // namespace tutti::lab
