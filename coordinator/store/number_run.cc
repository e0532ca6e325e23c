#include "coordinator/store/number_run.h"

#include <limits>
#include <numeric>

namespace tutti::store {
namespace {

constexpr int kMaxVarintBytes = 10;

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

int64_t UnZigZag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

uint64_t Magnitude(int64_t value) {
  return value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

// Modulo 2^64, so that every pair of numbers has one.
int64_t Difference(uint64_t after, uint64_t before) { return static_cast<int64_t>(after - before); }

int64_t DivisorOfDifferences(const std::vector<uint64_t>& numbers) {
  uint64_t divisor = 0;
  for (size_t i = 1; i < numbers.size() && divisor != 1; ++i) {
    divisor = std::gcd(divisor, Magnitude(Difference(numbers[i], numbers[i - 1])));
  }
  // 2^63 is no int64_t.
  return divisor > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) ? 1
                                                                              : static_cast<int64_t>(divisor);
}

}  // namespace

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendRun(const std::vector<uint64_t>& numbers, std::string& out) {
  if (numbers.empty()) return;
  AppendVarint(ZigZag(static_cast<int64_t>(numbers[0])), out);
  if (numbers.size() == 1) return;
  const int64_t divisor = DivisorOfDifferences(numbers);
  AppendVarint(static_cast<uint64_t>(divisor), out);
  if (divisor == 0) return;
  for (size_t i = 1; i < numbers.size(); ++i) {
    AppendVarint(ZigZag(Difference(numbers[i], numbers[i - 1]) / divisor), out);
  }
}

bool ByteReader::ReadVarint(uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < kMaxVarintBytes && i < bytes_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes_[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if ((byte & 0x80) != 0) continue;
    bytes_.remove_prefix(i + 1);
    return true;
  }
  return false;
}

bool ByteReader::ReadRun(size_t count, std::vector<uint64_t>& numbers) {
  numbers.clear();
  if (count == 0) return true;
  uint64_t read = 0;
  if (!ReadVarint(read)) return false;
  const auto first = static_cast<uint64_t>(UnZigZag(read));
  uint64_t divisor = 0;
  if (count > 1 && !ReadVarint(divisor)) return false;
  if (divisor == 0) {
    numbers.assign(count, first);
    return true;
  }
  // Each difference has at least one byte: a wrong count is seen before memory is taken for it.
  if (count - 1 > bytes_.size()) return false;
  numbers.reserve(count);
  numbers.push_back(first);
  for (size_t i = 1; i < count; ++i) {
    if (!ReadVarint(read)) return false;
    numbers.push_back(numbers.back() + static_cast<uint64_t>(UnZigZag(read)) * divisor);
  }
  return true;
}

bool ByteReader::ReadBytes(size_t count, std::string_view& bytes) {
  if (count > bytes_.size()) return false;
  bytes = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return true;
}

}  // namespace tutti::store
