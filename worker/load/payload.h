// What messages carry behind their header, and what is said of messages too short to have one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti::load {

// Bytes that do not compress away; writing them touches every page.
void FillPayload(std::vector<unsigned char>& message);

std::string WithoutHeaderWarning(uint64_t message_size_bytes);

}  // namespace tutti::load
