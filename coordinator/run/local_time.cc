#include "coordinator/run/local_time.h"

#include <time.h>

namespace tutti::run {
namespace {

std::string Formatted(int64_t unix_ns, const char* format) {
  const time_t seconds = unix_ns / 1'000'000'000;
  tm local{};
  localtime_r(&seconds, &local);
  char text[64] = {};
  strftime(text, sizeof(text), format, &local);
  return text;
}

}  // namespace

std::string TimeOfDay(int64_t unix_ns) { return Formatted(unix_ns, "%H:%M:%S"); }

std::string DateAndTime(int64_t unix_ns) { return Formatted(unix_ns, "%Y-%m-%d %H:%M"); }

std::string ShortTime(int64_t unix_ns, int64_t now_unix_ns) {
  const bool today = Formatted(unix_ns, "%Y-%m-%d") == Formatted(now_unix_ns, "%Y-%m-%d");
  return today ? Formatted(unix_ns, "%H:%M") : DateAndTime(unix_ns);
}

}  // namespace tutti::run
