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

constexpr char kHead[] =
    R"sh(# Completion of @PROGRAM@ for bash 4.4 and later; made by @PROGRAM@
@FUNCTION@() {
  local current=${COMP_WORDS[COMP_CWORD]} before= at=$((COMP_CWORD - 1))
  local path=@PROGRAM@ words= kinds= word previous value i
  COMPREPLY=()
  # bash takes csv:case and --flag=value apart at the sign.
  if [[ $current == : ]]; then
    before=${COMP_WORDS[at]}: current= at=$((at - 1))
  elif ((at > 1)) && [[ ${COMP_WORDS[at]} == : ]]; then
    before=${COMP_WORDS[at-1]}: at=$((at - 2))
  fi
  if [[ $current == = ]]; then
    current=
  elif ((at > 1)) && [[ ${COMP_WORDS[at]} == = ]]; then
    at=$((at - 1))
  fi
  previous=${COMP_WORDS[at]} value=$before$current
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    case "$path $word" in
)sh";

constexpr char kTail[] = R"sh(      esac
      ;;
  esac
  if [[ $kinds == *lab* ]]; then
    words+=" $("${COMP_WORDS[0]}" --no-config lab list 2>/dev/null | awk 'NR > 1 {print $1}')"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value")
  if [[ $kinds == *file* ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$value")
    compopt -o filenames 2>/dev/null
  elif [[ $kinds == *folder* ]]; then
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$value")
    compopt -o filenames 2>/dev/null
  fi
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
}
complete -F @FUNCTION@ @PROGRAM@
)sh";

std::string Kinds(const Completions& completions) {
  std::vector<std::string> kinds;
  if (completions.files) kinds.push_back("file");
  if (completions.folders) kinds.push_back("folder");
  if (completions.labs) kinds.push_back("lab");
  return absl::StrJoin(kinds, " ");
}

std::string Assignments(const std::vector<std::string>& words, const std::string& kinds) {
  std::vector<std::string> set;
  if (!words.empty()) set.push_back(absl::StrCat("words=\"", absl::StrJoin(words, " "), "\""));
  if (!kinds.empty()) set.push_back(absl::StrCat("kinds=\"", kinds, "\""));
  return set.empty() ? ":" : absl::StrJoin(set, " ");
}

// Behind the first argument of a prefix command, and whatever belongs to one of its own flags, another
// command begins: none of our words is due there. "PATH ." stands for that.
std::string PrefixBranches(const std::vector<CompletedCommand>& commands) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    if (!command.prefix) continue;
    std::vector<std::string> before_values = {absl::StrCat("\"", command.path, " =\"")};
    for (const CompletedFlag& flag : command.flags) {
      if (flag.type.empty()) continue;
      for (const std::string& name : flag.names) {
        before_values.push_back(absl::StrCat("\"", command.path, " ", name, "\""));
      }
    }
    absl::StrAppend(&text, "      \"", command.path, " \"[!-]*)\n",
                    "        case \"$path ${COMP_WORDS[i-1]}\" in\n          ",
                    absl::StrJoin(before_values, " | "), ") ;;\n          *) path=\"$path .\" ;;\n",
                    "        esac\n        ;;\n");
  }
  return text;
}

// The words after which one is in the command: "tutti lab run".
std::string CommandBranch(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> paths;
  for (size_t i = 1; i < commands.size(); ++i) paths.push_back(absl::StrCat("\"", commands[i].path, "\""));
  return absl::StrCat("      ", paths.empty() ? "\"\"" : absl::StrJoin(paths, " | "),
                      ") path=\"$path $word\" ;;\n", PrefixBranches(commands), "    esac\n  done\n");
}

std::string ValueBranches(const std::vector<CompletedCommand>& commands) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    for (const CompletedFlag& flag : command.flags) {
      if (flag.type.empty()) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : flag.names) {
        patterns.push_back(absl::StrCat("\"", command.path, " ", name, "\""));
      }
      absl::StrAppend(&text, "    ", absl::StrJoin(patterns, " | "), ") ",
                      Assignments(flag.values.words, Kinds(flag.values)), " ;;\n");
    }
  }
  return text;
}

// Flags where one is begun, else commands and arguments.
std::string PathBranches(const std::vector<CompletedCommand>& commands) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> flags;
    for (const CompletedFlag& flag : command.flags)
      flags.insert(flags.end(), flag.names.begin(), flag.names.end());
    std::vector<std::string> words = command.commands;
    words.insert(words.end(), command.arguments.words.begin(), command.arguments.words.end());
    absl::StrAppend(&text, "        \"", command.path, " -\") ", Assignments(flags, ""), " ;;\n");
    absl::StrAppend(&text, "        \"", command.path, " \") ", Assignments(words, Kinds(command.arguments)),
                    " ;;\n");
    if (command.prefix) absl::StrAppend(&text, "        \"", command.path, " .\"*) kinds=\"file\" ;;\n");
  }
  return text;
}

}  // namespace

std::string BashCompletion(const CLI::App& app, const std::string& program) {
  const std::vector<CompletedCommand> commands = CompletedCommands(app, program);
  std::string function = absl::StrCat("_", program);
  std::replace(function.begin(), function.end(), '-', '_');
  const std::string script =
      absl::StrCat(kHead, CommandBranch(commands), "  case \"$path $previous\" in\n", ValueBranches(commands),
                   "    *)\n      [[ $value == -* ]] && word=- || word=\n      case \"$path $word\" in\n",
                   PathBranches(commands), kTail);
  return absl::StrReplaceAll(script, {{"@PROGRAM@", program}, {"@FUNCTION@", function}});
}

}  // namespace tutti
