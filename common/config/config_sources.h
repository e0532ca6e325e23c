// Where the layers are read from: files and the environment.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/config/layers.h"

namespace tutti {

inline constexpr char kSystemConfigFolder[] = "/etc/tutti";

std::map<std::string, std::string> ProcessEnvironment();

// *.yaml of `system_folder` in the order of their names, then the user's file as `environment` says
// ($XDG_CONFIG_HOME/tutti/config.yaml, else $HOME/.config/tutti/config.yaml; relative paths are ignored, as
// the XDG Base Directory Specification 0.8 says). What is not there is left out; to `errors` what is there
// and cannot be read.
std::vector<ConfigFile> ReadConfigFiles(const std::string& system_folder,
                                        const std::map<std::string, std::string>& environment,
                                        std::vector<std::string>& errors);

}  // namespace tutti
