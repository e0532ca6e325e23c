// The argument RUN of the commands that ask a coordinator for one run, or for several.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tutti::cli {

// What is no id of a run is a usage error before anybody is asked. `run_id` outlives the parsing.
CLI::Option* AddRunIdArgument(CLI::App& command, std::string& run_id);
// One or more, all required.
CLI::Option* AddRunIdsArgument(CLI::App& command, std::vector<std::string>& run_ids);

}  // namespace tutti::cli
