#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "common/completion/completion.h"
#include "common/completion/completion_words.h"

namespace tutti {
namespace {

// _arguments and _describe: zshcompsys(1).
constexpr char kHead[] = R"sh(#compdef @PROGRAM@
# Completion of @PROGRAM@ for zsh; made by @PROGRAM@
)sh";

constexpr char kLabs[] = R"sh(
_@PROGRAM@_labs() {
  local -a labs
  labs=(${(f)"$(@PROGRAM@ --no-config lab list 2>/dev/null | awk 'NR > 1 {print $1}')"})
  compadd -a labs
}
)sh";

constexpr char kTail[] = R"sh(
# Loaded from fpath the file is the function; sourced it only defines it.
if [[ $funcstack[1] == _@PROGRAM@ ]]; then
  _@PROGRAM@ "$@"
else
  compdef _@PROGRAM@ @PROGRAM@
fi
)sh";

std::string Quoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Between the brackets of an option.
std::string Bracketed(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {"\n", " "}});
}

// Between colons.
std::string Field(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {":", "\\:"}, {"\n", " "}});
}

std::string Action(const Completions& completions, const std::string& program) {
  if (completions.files) return "_files";
  if (completions.folders) return "_files -/";
  if (completions.labs) return absl::StrCat("_", program, "_labs");
  if (!completions.words.empty()) {
    return absl::StrCat("(", Field(absl::StrJoin(completions.words, " ")), ")");
  }
  return " ";  // nothing
}

std::string FunctionOf(const std::string& path) {
  std::string name = absl::StrCat("_", path);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

// One argument of _arguments for each name of each flag.
std::vector<std::string> FlagSpecs(const CompletedCommand& command, const std::string& program) {
  std::vector<std::string> specs;
  for (const CompletedFlag& flag : command.flags) {
    for (const std::string& name : flag.names) {
      std::string spec = absl::StrCat(flag.repeated ? "*" : "", name);
      if (!flag.type.empty() && name.substr(0, 2) == "--") spec += '=';
      absl::StrAppend(&spec, "[", Bracketed(flag.description), "]");
      if (!flag.type.empty())
        absl::StrAppend(&spec, ":", Field(flag.type), ":", Action(flag.values, program));
      specs.push_back(Quoted(spec));
    }
  }
  return specs;
}

std::string LeafFunction(const CompletedCommand& command, const std::string& program) {
  std::vector<std::string> specs = FlagSpecs(command, program);
  if (command.prefix) {
    specs.push_back(
        Quoted(absl::StrCat("(-)1:", Field(command.argument), ":", Action(command.arguments, program))));
    specs.push_back(Quoted("*::command:_normal"));
  } else if (!command.argument.empty()) {
    specs.push_back(
        Quoted(absl::StrCat("*:", Field(command.argument), ":", Action(command.arguments, program))));
  }
  return absl::StrCat("\n", FunctionOf(command.path), "() {\n  _arguments \\\n    ",
                      absl::StrJoin(specs, " \\\n    "), "\n}\n");
}

bool NamesLabs(const CompletedCommand& command) {
  return command.arguments.labs || std::any_of(command.flags.begin(), command.flags.end(),
                                               [](const CompletedFlag& flag) { return flag.values.labs; });
}

// Of a command with others below it.
std::string BranchFunction(const CompletedCommand& command, const std::vector<CompletedCommand>& commands,
                           const std::string& program) {
  std::vector<std::string> described;
  std::string branches;
  for (const std::string& name : command.commands) {
    const std::string path = absl::StrCat(command.path, " ", name);
    const auto below = std::find_if(commands.begin(), commands.end(),
                                    [&path](const CompletedCommand& each) { return each.path == path; });
    const std::string description = below == commands.end() ? "" : below->description;
    described.push_back(Quoted(absl::StrCat(Field(NameOf(path)), ":", Field(description))));
    absl::StrAppend(&branches, "        ", name, ") ", FunctionOf(path), " ;;\n");
  }
  std::vector<std::string> specs = FlagSpecs(command, program);
  specs.push_back("'1: :->command'");
  specs.push_back("'*:: :->argument'");
  return absl::StrCat("\n", FunctionOf(command.path), "() {\n  local curcontext=$curcontext state line\n",
                      "  typeset -A opt_args\n  local -a commands\n  commands=(\n    ",
                      absl::StrJoin(described, "\n    "), "\n  )\n  _arguments -C \\\n    ",
                      absl::StrJoin(specs, " \\\n    "), "\n  case $state in\n",
                      "    command) _describe command commands ;;\n    argument)\n      case $line[1] in\n",
                      branches, "      esac\n      ;;\n  esac\n}\n");
}

}  // namespace

std::string ZshCompletion(const CLI::App& app, const std::string& program) {
  const std::vector<CompletedCommand> commands = CompletedCommands(app, program);
  std::string script = absl::StrReplaceAll(kHead, {{"@PROGRAM@", program}});
  if (std::any_of(commands.begin(), commands.end(), &NamesLabs)) {
    script += absl::StrReplaceAll(kLabs, {{"@PROGRAM@", program}});
  }
  for (const CompletedCommand& command : commands) {
    script += command.commands.empty() ? LeafFunction(command, program)
                                       : BranchFunction(command, commands, program);
  }
  script += absl::StrReplaceAll(kTail, {{"@PROGRAM@", program}});
  return script;
}

}  // namespace tutti
