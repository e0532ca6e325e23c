// The kernel's notation for sets of CPUs: "0-3,8,10-11" (Documentation/admin-guide/cputopology.rst).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tutti::observe {

// Ascending, without duplicates. White space around the text is allowed, the empty list is empty; anything
// else that is not a list is InvalidArgument, as is a CPU number above 1,048,575.
absl::StatusOr<std::vector<uint32_t>> ParseCpuList(std::string_view text);

}  // namespace tutti::observe
