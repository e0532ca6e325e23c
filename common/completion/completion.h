// Completion scripts of a program, made from the definitions of its commands (CLI11 has none of its own).
// Pure.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace tutti {

// For bash 4.4 and later. What a value is completed with follows from the name of its type: words between '|'
// in lower case ("table|json|csv:case") are themselves; FILE, alone or among others, is a file; DIR a folder;
// LAB the name of a lab that is up; every other type has no completion.
std::string BashCompletion(const CLI::App& app, const std::string& program);

// The same for zsh, to be put as _PROGRAM into a folder of fpath.
std::string ZshCompletion(const CLI::App& app, const std::string& program);

}  // namespace tutti
