#include "worker/observe/file_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/macros.h"
#include "common/status/printable.h"

namespace tutti::observe {
namespace {

constexpr size_t kFirstBufferBytes = 16 << 10;
constexpr size_t kMaxBytes = 16 << 20;

}  // namespace

absl::StatusOr<FileReader> FileReader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno, absl::StrCat("open ", path));
  return FileReader(fd, path);
}

FileReader::FileReader(FileReader&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

FileReader::~FileReader() {
  if (fd_ >= 0) close(fd_);
}

absl::Status FileReader::Read(std::string* text, const std::function<bool(std::string_view)>& enough) const {
  // The caller's string keeps its capacity, so that a repeated reading starts with the size that sufficed.
  size_t size = std::max(text->capacity(), kFirstBufferBytes);
  while (true) {
    text->resize(size);
    const ssize_t got = pread(fd_, text->data(), size, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      return ErrnoStatus(errno, absl::StrCat("read ", path_));
    }
    text->resize(static_cast<size_t>(got));
    if (static_cast<size_t>(got) < size || (enough && enough(*text))) return absl::OkStatus();
    if (size >= kMaxBytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat("read ", path_, ": longer than ", kMaxBytes, " bytes"));
    }
    size *= 2;
  }
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  TUTTI_ASSIGN_OR_RETURN(const FileReader reader, FileReader::Open(path));
  std::string text;
  TUTTI_RETURN_IF_ERROR(reader.Read(&text));
  return text;
}

absl::StatusOr<std::string> ReadValue(const std::string& path) {
  TUTTI_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  const auto is_space = [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); };
  std::replace_if(text.begin(), text.end(), is_space, ' ');
  absl::RemoveExtraAsciiWhitespace(&text);
  if (text.empty()) return absl::NotFoundError(absl::StrCat(path, " is empty"));
  return Printable(text);
}

}  // namespace tutti::observe
