// How much longer something takes, as far as its plan's timing says. Pure; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace tutti::cli {

// "about 4m left": to the minute, below two minutes to the second.
std::string TimeLeft(int64_t left_ns);

}  // namespace tutti::cli
