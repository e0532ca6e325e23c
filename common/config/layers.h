// What holds: built-in < files < environment < flags. Pure; thread-safe.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace tutti {

struct ConfigFile {
  std::string path;
  std::string text;
};

struct Layers {
  std::vector<ConfigFile> files;                          // the weakest first
  std::map<std::string, std::string> environment;         // all of it; what begins with TUTTI_ counts
  std::map<std::string, std::vector<std::string>> flags;  // by key; checked by the command line's parser
};

enum class Layer { kBuiltIn, kFile, kEnvironment, kFlag };

struct SettingValue {
  std::vector<std::string> texts;  // none: not set; several only of a list
  Layer layer = Layer::kBuiltIn;
  std::string origin;  // "built-in", "/etc/tutti/lab.yaml:3:7", "TUTTI_LEASE", "--lease"
};

struct Configuration {
  std::map<std::string, SettingValue> values;  // of every setting, by key
  std::vector<std::string> files;              // that were read, the weakest first
  std::vector<std::string> errors;             // in the order of the layers, each one line
  std::vector<std::string> warnings;
};

Configuration LayerSettings(const Layers& layers);

}  // namespace tutti
