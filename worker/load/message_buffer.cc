#include "worker/load/message_buffer.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace tutti::load {

absl::Status MessageBuffer::Allocate(uint64_t bytes) {
  bytes_.reset(new (std::nothrow) unsigned char[bytes]);
  size_ = bytes_ ? bytes : 0;
  if (bytes_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "allocate ", bytes, "B for messages: no memory; make message_size or read_size smaller, or ",
      "use fewer streams"));
}

bool MessageBuffer::ForEachSlice(absl::FunctionRef<bool()> stopping,
                                 absl::FunctionRef<void(unsigned char*, size_t)> write) {
  for (size_t begin = 0; begin < size_; begin += kSliceBytes) {
    if (stopping()) return false;
    write(bytes_.get() + begin, std::min(kSliceBytes, size_ - begin));
  }
  return true;
}

bool MessageBuffer::Touch(absl::FunctionRef<bool()> stopping) {
  return ForEachSlice(stopping, [](unsigned char* slice, size_t size) { std::memset(slice, 1, size); });
}

}  // namespace tutti::load
