// The memory that a stream sends from or reads into: up to a gigabyte, so that its pages are only touched
// where a stop is noticed. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace tutti::load {

class MessageBuffer {
 public:
  // About a millisecond of writing, page faults included.
  static constexpr size_t kSliceBytes = size_t{1} << 20;

  // Reserves without writing: returns at once whatever the size. ResourceExhausted if there is no room.
  absl::Status Allocate(uint64_t bytes);

  unsigned char* data() { return bytes_.get(); }
  const unsigned char* data() const { return bytes_.get(); }
  size_t size() const { return size_; }

  // Calls `write` for one slice of at most kSliceBytes after the other, and `stopping` before each. False if
  // it stopped before the last.
  bool ForEachSlice(absl::FunctionRef<bool()> stopping,
                    absl::FunctionRef<void(unsigned char*, size_t)> write);
  // Writes to every page.
  bool Touch(absl::FunctionRef<bool()> stopping);

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  size_t size_ = 0;
};

}  // namespace tutti::load
