// Instants as people read them, in the coordinator's time zone. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace tutti::run {

// "13:50:02"
std::string TimeOfDay(int64_t unix_ns);

// "2026-11-28 13:50"
std::string DateAndTime(int64_t unix_ns);

// "13:50"; with the date where that is not the date of `now_unix_ns`.
std::string ShortTime(int64_t unix_ns, int64_t now_unix_ns);

}  // namespace tutti::run
