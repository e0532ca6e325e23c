// What the completion scripts of all shells are made of. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tutti {

// What a value is completed with; empty: nothing.
struct Completions {
  std::vector<std::string> words;
  bool files = false;
  bool folders = false;
  bool labs = false;
};

// By the name of the option's type, as completion.h says.
Completions CompletionsOf(const CLI::Option& option);

struct CompletedFlag {
  std::vector<std::string> names;  // "--quiet", "-q"
  std::string description;
  std::string type;  // "table|json|yaml"; empty: the flag has no value
  bool repeated = false;
  Completions values;
};

struct CompletedCommand {
  std::string path;  // "tutti lab run"
  std::string description;
  std::vector<std::string> commands;  // below it, by their names
  std::vector<CompletedFlag> flags;
  bool prefix = false;    // what stands behind its first argument is another command
  std::string argument;   // "PLAN": what the first argument is called; empty: there are none
  Completions arguments;  // of all of them
};

// `app` and every command below it, each before those below it.
std::vector<CompletedCommand> CompletedCommands(const CLI::App& app, const std::string& program);

}  // namespace tutti
