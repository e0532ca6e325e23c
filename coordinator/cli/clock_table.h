// How well each worker's clock is known, as a table. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: offset to the common timeline in s, drift and its bound in ppm, bound, least round trip, how
// it is measured, how often the clock contradicted its own history; below it what to do about what is wrong.
// What is not known is "-". `limit_ns`: bounds above it are marked.
std::string RenderClocks(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns);

// Whether every worker's clock is known, and to within the limit if there is one. False without workers.
bool ClocksAreKnown(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns);

}  // namespace tutti::cli
