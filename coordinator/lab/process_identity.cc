#include "coordinator/lab/process_identity.h"

#include <charconv>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace tutti::lab {

std::optional<int64_t> ParseStartTicks(std::string_view stat_line) {
  const size_t name_end = stat_line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat_line.size()) return std::nullopt;
  std::string_view rest = stat_line.substr(name_end + 2);  // from field 3, the state
  if (rest[0] == 'Z' || rest[0] == 'X') return std::nullopt;
  for (int field = 3; field < 22; ++field) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  int64_t ticks = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), ticks);
  if (error != std::errc() || end == rest.data()) return std::nullopt;
  return ticks;
}

std::optional<int64_t> StartTicks(int pid) {
  if (pid <= 0) return std::nullopt;
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return ParseStartTicks(line);
}

}  // namespace tutti::lab
