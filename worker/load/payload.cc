#include "worker/load/payload.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "worker/load/udp_header.h"

namespace tutti::load {

bool FillPayload(MessageBuffer& message, absl::FunctionRef<bool()> stopping) {
  uint64_t state = 0x9e3779b97f4a7c15;
  return message.ForEachSlice(stopping, [&state](unsigned char* slice, size_t size) {
    for (size_t i = 0; i < size; i += sizeof(state)) {
      // xorshift64 (Marsaglia 2003).
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      std::memcpy(slice + i, &state, std::min(sizeof(state), size - i));
    }
  });
}

std::string WithoutHeaderWarning(uint64_t message_size_bytes) {
  return absl::StrCat("a message of ", message_size_bytes, "B has no room for the header of ",
                      UdpHeader::kBytes, "B: loss, order and jitter are not known");
}

}  // namespace tutti::load
