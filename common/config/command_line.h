// The layers as options of a program's parser (CLI11) see them. Call in this order: define all options,
// DefineConfiguration, parse, Configure; then run what was chosen. Not thread-safe: they read the process's
// environment.
#pragma once

#include <CLI/CLI.hpp>

#include "absl/status/status.h"
#include "common/config/layers.h"
#include "common/config/setting.h"

namespace tutti {

// Adds --no-config to the program and to each command, so that it may stand before or behind one (CLI11's
// fallthrough would give the program a command's surplus words too). Adds to the help of each flag that is a
// setting its variable and its default. A flag of that name which is something else is to be marked with
// configurable(false).
void DefineConfiguration(CLI::App& app, Program program);

// Reads the layers below the flags into `configuration`, and gives each flag of the command that was chosen
// and not written on the command line the value that holds. A setting is left out where the command line has
// something that excludes its flag. InvalidArgument with every error, one a line.
absl::Status Configure(CLI::App& app, Program program, Configuration& configuration);

}  // namespace tutti
