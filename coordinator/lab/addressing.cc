#include "coordinator/lab/addressing.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "coordinator/lab/lab.h"

namespace tutti::lab {
namespace {

constexpr int kFirstHost = 10;  // what lies below is the bridge's and the user's

std::string Ipv4(const char* prefix, int value) {
  return absl::StrFormat("%s.%d.%d", prefix, value / 256, value % 256);
}

}  // namespace

std::string HostName(int index) { return absl::StrCat("host", index); }
std::string HostIpv4(int index) { return Ipv4("10.77", kFirstHost + index); }
std::string HostIpv6(int index) { return absl::StrFormat("fd74:7574:7469::%x", kFirstHost + index); }
std::string HostLoopbackIpv4(int index) { return Ipv4("127.0", kFirstHost + index); }
std::string BridgeIpv4() { return "10.77.0.1"; }
std::string BridgeIpv6() { return "fd74:7574:7469::1"; }

int64_t ClockOffsetNs(int index) {
  constexpr int64_t kStepNs = 2 * int64_t{86'400'000'000'000} + 1'234'567'891;
  return index * kStepNs;
}

}  // namespace tutti::lab
