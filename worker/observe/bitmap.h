// The kernel's notation for sets of small numbers as bits: "ff,00000001" (the %*pb of
// Documentation/core-api/printk-formats.rst).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::observe {

// The numbers of the bits that are set, ascending: {0, 32} of "1,00000001". 32 bits between two commas, in
// hexadecimal digits, the highest first; only the first group may be short. Anything else is
// InvalidArgument. Pure.
absl::StatusOr<std::vector<uint32_t>> ParseBitmap(std::string_view text);

}  // namespace tutti::observe
