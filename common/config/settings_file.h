// One configuration file, read strictly. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "common/config/layers.h"

namespace tutti {

struct FileSetting {
  std::string key;
  std::vector<std::string> texts;
  std::string place;  // "FILE:LINE:COLUMN" of the value
};

// The settings that are right; to `errors` what is not: "FILE:LINE:COLUMN: KEY: what is wrong, and what to
// write instead". A file without values (comments only) is right.
std::vector<FileSetting> ReadSettings(const ConfigFile& file, std::vector<std::string>& errors);

}  // namespace tutti
