// What messages carry behind their header, and what is said of messages too short to have one.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "worker/load/message_buffer.h"

namespace tutti::load {

// Bytes that do not compress away; writing them touches every page. False if `stopping`, which is asked at
// every MessageBuffer::kSliceBytes, ended it.
bool FillPayload(MessageBuffer& message, absl::FunctionRef<bool()> stopping);

std::string WithoutHeaderWarning(uint64_t message_size_bytes);

}  // namespace tutti::load
