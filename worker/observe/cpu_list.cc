#include "worker/observe/cpu_list.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "absl/strings/str_cat.h"

namespace tutti::observe {
namespace {

constexpr uint32_t kMaxCpu = 1'048'575;

bool ParseNumber(std::string_view text, uint32_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value <= kMaxCpu;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> ParseCpuList(std::string_view text) {
  std::vector<uint32_t> cpus;
  std::string_view rest = Trim(text);
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    const size_t dash = part.find('-');
    uint32_t first = 0;
    uint32_t last = 0;
    const bool valid = dash == std::string_view::npos
                           ? ParseNumber(part, &first) && ParseNumber(part, &last)
                           : ParseNumber(part.substr(0, dash), &first) &&
                                 ParseNumber(part.substr(dash + 1), &last) && first <= last;
    if (!valid || (comma != std::string_view::npos && comma + 1 == rest.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", std::string(text), "\" is not a list of CPUs such as 0-3,8"));
    }
    for (uint32_t cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

}  // namespace tutti::observe
