// The memory that a stream sends from or reads into: up to a gigabyte, so that its pages are only touched
// where a stop is noticed. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/load/file_descriptor.h"

namespace tutti::load {

struct UnmapMessages {
  size_t bytes = 0;
  void operator()(unsigned char* begin) const;
};

class MessageBuffer {
 public:
  // About a millisecond of writing, page faults included.
  static constexpr size_t kSliceBytes = size_t{1} << 20;

  // Reserves without writing: returns at once whatever the size. ResourceExhausted if there is no room. The
  // pages are the kernel's, never ones that the program used before: each comes to lie on the NUMA node of
  // the thread that touches it first (Documentation/admin-guide/mm/numa_memory_policy.rst, local allocation).
  absl::Status Allocate(uint64_t bytes);
  // The same in a memory file (memfd_create(2)), for calls that send from a file: what is written here is in
  // it.
  absl::StatusOr<FileDescriptor> AllocateFile(uint64_t bytes);
  // The memory of `owner`, which outlives this and touches it: for streams that one thread serves in turn,
  // whose messages are all alike.
  void Borrow(MessageBuffer& owner);

  unsigned char* data() { return data_; }
  const unsigned char* data() const { return data_; }
  size_t size() const { return size_; }

  // Calls `write` for one slice of at most kSliceBytes after the other, and `stopping` before each. False if
  // it stopped before the last. Borrowed memory has no slices of its own.
  bool ForEachSlice(absl::FunctionRef<bool()> stopping,
                    absl::FunctionRef<void(unsigned char*, size_t)> write);
  // Writes to every page.
  bool Touch(absl::FunctionRef<bool()> stopping);

 private:
  std::unique_ptr<unsigned char[], UnmapMessages> bytes_;  // null: borrowed
  unsigned char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tutti::load
