// An input that is a list of steps, so that random changes of it leave most steps what they were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::fuzz {

struct Step {
  uint8_t kind = 0;
  uint8_t detail = 0;
  std::string bytes;
};

// Each step is its kind, its detail, the number of its bytes (big-endian, 16 bits) and these; the last one
// may be cut off. At most `most` of them.
inline std::vector<Step> StepsOf(const uint8_t* data, size_t size, size_t most) {
  constexpr size_t kHead = 4;
  std::vector<Step> steps;
  while (size >= kHead && steps.size() < most) {
    const size_t told = size_t{data[2]} * 256 + data[3];
    const size_t bytes = std::min(told, size - kHead);
    steps.push_back({data[0], data[1], std::string(data + kHead, data + kHead + bytes)});
    data += kHead + bytes;
    size -= kHead + bytes;
  }
  return steps;
}

// The inverse. `steps` have at most 65,535 bytes each.
inline std::string InputOf(const std::vector<Step>& steps) {
  std::string input;
  for (const Step& step : steps) {
    for (const size_t byte :
         {size_t{step.kind}, size_t{step.detail}, step.bytes.size() / 256, step.bytes.size() % 256}) {
      input.push_back(static_cast<char>(byte));
    }
    input += step.bytes;
  }
  return input;
}

}  // namespace tutti::fuzz
