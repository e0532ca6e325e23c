// zstd around what is stored: one frame with its size and a checksum, so that damage is noticed and never
// read as data. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tutti::store {

// ResourceExhausted where memory is short.
absl::StatusOr<std::string> Compress(std::string_view plain);

// DataLoss for what is no whole frame of Compress.
absl::StatusOr<std::string> Decompress(std::string_view compressed);

}  // namespace tutti::store
