// The distance of two clocks, as text. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace tutti::report {

// In seconds, exact to the last digit, which a double is not for clocks days apart: "+172801.234567891 s".
std::string FormatClockOffset(int64_t ns);

}  // namespace tutti::report
