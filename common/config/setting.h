// Everything that can be configured: one table, from which the layers, `tutti config show`, the flags'
// defaults and docs/configuration.md come. A new setting is one line of it and a flag of that name. Pure;
// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti {

enum class Program : unsigned { kTutti = 1, kCoordinator = 2, kWorker = 4 };

const char* ProgramName(Program program);  // "tutti-worker"

enum class SettingKind {
  kText,
  kBool,
  kWord,            // one of `words`
  kLease,           // "2s", within 100ms and 10m
  kDurationOrNone,  // "2160h"
  kSizeOrNone,      // "10GiB"
  kEndpoint,        // "10.0.0.1:7117", "[fd00::1]:7117", "unix:/run/tutti"
  kEndpoints,       // a list of them
  kFolderOrNone,    // "/var/lib/tutti"
  kNumericAddress,  // "10.0.0.1"
  kLabels,          // a list of "rack=a"
};

struct Setting {
  const char* key;  // in files; its flag and its variable follow from it
  SettingKind kind;
  const char* default_text;        // empty: nothing is set
  std::vector<Program> programs;   // that have the flag
  std::vector<std::string> words;  // of kWord
  const char* help;
};

// In the order of the page.
const std::vector<Setting>& SettingTable();
// nullptr: there is none.
const Setting* FindSetting(std::string_view key);
std::vector<std::string> SettingKeys();

bool IsOf(const Setting& setting, Program program);
// Of several values: a list in a file.
bool IsList(const Setting& setting);
std::string FlagOf(const Setting& setting);      // "--log-level"
std::string VariableOf(const Setting& setting);  // "TUTTI_LOG_LEVEL"

// What is wrong with a value of the setting, or of one of its list; empty: nothing.
std::string CheckSetting(const Setting& setting, std::string_view text);

// docs/configuration.md.
std::string ConfigurationPage();

}  // namespace tutti
