// A directory that looks like /proc or /sys, for a machine that a test makes up.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace tutti::observe {

class KernelTree {
 public:
  KernelTree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tutti-kernel-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~KernelTree() { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path full = root_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::trunc) << text;
  }
  void Link(const std::string& path, const std::string& target) const {
    const std::filesystem::path full = root_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::filesystem::create_symlink(root_ / target, full);
  }
  std::string path(const std::string& below = "") const { return (root_ / below).string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace tutti::observe
