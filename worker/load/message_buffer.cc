#include "worker/load/message_buffer.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::load {

void UnmapMessages::operator()(unsigned char* begin) const { munmap(begin, bytes); }

absl::Status MessageBuffer::Allocate(uint64_t bytes) {
  bytes_.reset();
  size_ = 0;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "allocate ", bytes, "B for messages: no memory; make message_size or read_size smaller, or ",
        "use fewer streams"));
  }
  bytes_ = decltype(bytes_)(static_cast<unsigned char*>(mapped), UnmapMessages{bytes});
  data_ = bytes_.get();
  size_ = bytes;
  return absl::OkStatus();
}

absl::StatusOr<FileDescriptor> MessageBuffer::AllocateFile(uint64_t bytes) {
  FileDescriptor file(memfd_create("tutti-message", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoStatus(errno, "make a memory file for messages");
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    return ErrnoStatus(errno, absl::StrCat("give a memory file ", bytes, "B"));
  }
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return ErrnoStatus(errno, absl::StrCat("map a memory file of ", bytes, "B"));
  bytes_ = decltype(bytes_)(static_cast<unsigned char*>(mapped), UnmapMessages{bytes});
  data_ = bytes_.get();
  size_ = bytes;
  return file;
}

void MessageBuffer::Borrow(MessageBuffer& owner) {
  bytes_.reset();
  data_ = owner.data_;
  size_ = owner.size_;
}

bool MessageBuffer::ForEachSlice(absl::FunctionRef<bool()> stopping,
                                 absl::FunctionRef<void(unsigned char*, size_t)> write) {
  if (bytes_ == nullptr) return true;
  for (size_t begin = 0; begin < size_; begin += kSliceBytes) {
    if (stopping()) return false;
    write(data_ + begin, std::min(kSliceBytes, size_ - begin));
  }
  return true;
}

bool MessageBuffer::Touch(absl::FunctionRef<bool()> stopping) {
  return ForEachSlice(stopping, [](unsigned char* slice, size_t size) { std::memset(slice, 1, size); });
}

}  // namespace tutti::load
