// Files of /proc and /sys: small, without a size, read whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tutti::observe {

// The whole file. Errors name the path; a file above 16 MiB is ResourceExhausted.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The one value that a file of /proc/sys or /sys holds: without white space around it, one blank where
// there is white space inside, what is not printable written out. NotFound if nothing is left.
absl::StatusOr<std::string> ReadValue(const std::string& path);

// An open file that is read again and again from its beginning: the kernel makes its text anew at every read
// from offset 0. Thread-safe.
class FileReader {
 public:
  static absl::StatusOr<FileReader> Open(const std::string& path);
  FileReader(FileReader&& other) noexcept;
  FileReader& operator=(FileReader&& other) noexcept;
  ~FileReader();

  // Replaces `text` by the file as it is now, in one read call, so that it is one snapshot. With `enough` the
  // read is also complete when that says so of a text that filled the buffer.
  absl::Status Read(std::string* text, const std::function<bool(std::string_view)>& enough = nullptr) const;

 private:
  FileReader(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_ = -1;
  std::string path_;
};

}  // namespace tutti::observe
