#include "worker/load/message_buffer.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"

namespace tutti::load {

void ReleaseMessages::operator()(unsigned char* bytes) const {
  if (mapped_bytes > 0) {
    munmap(bytes, mapped_bytes);
  } else {
    delete[] bytes;
  }
}

absl::Status MessageBuffer::Allocate(uint64_t bytes) {
  bytes_ = decltype(bytes_)(new (std::nothrow) unsigned char[bytes]);
  data_ = bytes_.get();
  size_ = bytes_ ? bytes : 0;
  if (bytes_) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "allocate ", bytes, "B for messages: no memory; make message_size or read_size smaller, or ",
      "use fewer streams"));
}

absl::StatusOr<FileDescriptor> MessageBuffer::AllocateFile(uint64_t bytes) {
  FileDescriptor file(memfd_create("tutti-message", MFD_CLOEXEC));
  if (!file.valid()) return ErrnoStatus(errno, "make a memory file for messages");
  if (ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) {
    return ErrnoStatus(errno, absl::StrCat("give a memory file ", bytes, "B"));
  }
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return ErrnoStatus(errno, absl::StrCat("map a memory file of ", bytes, "B"));
  bytes_ = decltype(bytes_)(static_cast<unsigned char*>(mapped), ReleaseMessages{bytes});
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
