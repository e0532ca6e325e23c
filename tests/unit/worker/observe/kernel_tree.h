// A directory that looks like /proc or /sys, for a machine that a test makes up.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/temporary_folder.h"

namespace tutti::observe {

class KernelTree {
 public:
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
  TemporaryFolder root_;
};

}  // namespace tutti::observe
