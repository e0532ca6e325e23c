#include "worker/load/payload.h"

#include "absl/strings/str_cat.h"
#include "worker/load/udp_header.h"

namespace tutti::load {

void FillPayload(std::vector<unsigned char>& message) {
  uint32_t state = 0x9e3779b9;
  for (unsigned char& byte : message) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<unsigned char>(state >> 24);
  }
}

std::string WithoutHeaderWarning(uint64_t message_size_bytes) {
  return absl::StrCat("a message of ", message_size_bytes, "B has no room for the header of ",
                      UdpHeader::kBytes, "B: loss, order and jitter are not known");
}

}  // namespace tutti::load
