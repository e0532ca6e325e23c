// How well each worker's clock is known, as a table. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tutti/v1/host.pb.h"
#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// One line each: offset to the common timeline in s, drift and its bound in ppm, bound, least round trip, how
// it is measured, how often the clock contradicted its own history; below it what to do about what is wrong.
// What is not known is "-". `limit_ns`: bounds above it are marked.
std::string RenderClocks(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns);

// "udp, kernel stamps": how a clock is measured; "-" where nobody knows.
const char* ClockSourceName(tutti::v1::ClockSource source);

// Whether there are workers that are not lost, and if there is a limit, every such clock is known to within
// it.
bool ClocksAreKnown(const tutti::v1::ListWorkersResponse& workers, std::optional<int64_t> limit_ns);

}  // namespace tutti::cli
