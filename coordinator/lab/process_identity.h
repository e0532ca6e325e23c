// Which process a pid stands for: pids are reused, start times are not.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::lab {

// Field 22 of a line of /proc/PID/stat (start time in clock ticks since boot); the name in field 2 may hold
// spaces and parentheses. Empty for a line of another form, and for a process that has ended (zombie or
// dead).
std::optional<int64_t> ParseStartTicks(std::string_view stat_line);

// Of a live process; empty if there is none.
std::optional<int64_t> StartTicks(int pid);

inline bool IsAlive(int pid) { return StartTicks(pid).has_value(); }
inline bool IsAlive(int pid, int64_t start_ticks) { return StartTicks(pid) == start_ticks; }

}  // namespace tutti::lab
