// Whole numbers in few bytes: varints, and runs of numbers as the first one and the differences between
// neighbours.
//
// A run is: the first number as a zigzag varint; then, if it has more than one, what divides all differences
// (0: all numbers are alike, nothing follows), and each difference divided by it as a zigzag varint. Counters
// of datagrams of one size have that size as their divisor. Varint and zigzag are those of Protocol Buffers'
// encoding. Lossless for all 64 bits. docs/decisions/0019-store.md has the sizes. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::store {

void AppendVarint(uint64_t value, std::string& out);

// How many numbers there are is the caller's to keep. Signed ones are passed as their 64 bits.
void AppendRun(const std::vector<uint64_t>& numbers, std::string& out);

// Takes apart what the above have put together. Everything returns false for bytes that cannot have been
// written by them, and the reader is of no use afterwards. `bytes` outlive it. Not thread-safe.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool ReadVarint(uint64_t& value);
  // Replaces `numbers` by the `count` of the next run.
  bool ReadRun(size_t count, std::vector<uint64_t>& numbers);
  bool ReadBytes(size_t count, std::string_view& bytes);
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

}  // namespace tutti::store
