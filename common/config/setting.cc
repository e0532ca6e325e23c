#include "common/config/setting.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cctype>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/lease.h"
#include "common/net/endpoint.h"
#include "common/status/printable.h"
#include "common/suggestion/suggestion.h"
#include "common/units/units.h"

namespace tutti {
namespace {

constexpr char kVariablePrefix[] = "TUTTI_";
constexpr char kNone[] = "none";

// What is wrong with a quantity that may also be "none".
template <typename Quantity>
std::string CheckOrNone(std::string_view text, absl::StatusOr<Quantity> (*parse)(std::string_view)) {
  if (text == kNone) return "";
  const absl::StatusOr<Quantity> parsed = parse(text);
  return parsed.ok() ? "" : absl::StrCat(parsed.status().message(), "; or write none");
}

std::string CheckEndpoint(std::string_view text) {
  return std::string(net::ParseEndpoint(std::string(text)).status().message());
}

// The daemon's working folder is not that of whoever wrote the value.
std::string CheckFolderOrNone(std::string_view text) {
  if (text == kNone || text.front() == '/') return "";
  return absl::StrCat("\"", Printable(text), "\" is no absolute path: write /PATH, or none");
}

std::string CheckNumericAddress(std::string_view text) {
  const std::string address(text);
  in6_addr bytes{};
  const bool good =
      inet_pton(AF_INET, address.c_str(), &bytes) == 1 || inet_pton(AF_INET6, address.c_str(), &bytes) == 1;
  return good ? "" : absl::StrCat("\"", Printable(text), "\" is not a numeric IPv4 or IPv6 address");
}

std::string CheckLabel(std::string_view text) {
  const size_t equals = text.find('=');
  const bool good = equals != std::string_view::npos && equals > 0;
  return good ? "" : absl::StrCat("\"", Printable(text), "\" is not KEY=VALUE");
}

}  // namespace

const char* ProgramName(Program program) {
  switch (program) {
    case Program::kTutti:
      return "tutti";
    case Program::kCoordinator:
      return "tutti-coordinator";
    case Program::kWorker:
      return "tutti-worker";
  }
  return "";
}

const std::vector<Setting>& SettingTable() {
  constexpr Program kTutti = Program::kTutti;
  constexpr Program kCoordinator = Program::kCoordinator;
  constexpr Program kWorker = Program::kWorker;
  static const std::vector<Setting>& table = *new std::vector<Setting>{
      {"coordinator",
       SettingKind::kEndpoint,
       "127.0.0.1:7117",
       {kTutti, kWorker},
       {},
       "where the coordinator listens: HOST[:PORT], [IPV6]:PORT or unix:/PATH"},
      {"insecure",
       SettingKind::kBool,
       "false",
       {kTutti, kCoordinator, kWorker},
       {},
       "allow plain text beyond this host; every result says that it was"},
      {"output",
       SettingKind::kWord,
       "table",
       {kTutti},
       {"table", "json", "yaml"},
       "how what a command has to say is printed"},
      {"detail", SettingKind::kBool, "false", {kTutti}, {}, "reports also show machines, hosts and streams"},
      {"timeline",
       SettingKind::kBool,
       "false",
       {kTutti},
       {},
       "reports also show the intervals of all hosts on one time axis"},
      {"quiet", SettingKind::kBool, "false", {kTutti}, {}, "no line per interval while a run goes on"},
      {"listen",
       SettingKind::kEndpoints,
       "127.0.0.1:7117",
       {kCoordinator},
       {},
       "addresses to listen on: HOST:PORT, [IPV6]:PORT or unix:/PATH"},
      {"http",
       SettingKind::kEndpoints,
       "",
       {kCoordinator},
       {},
       "addresses for the HTTP/JSON API, as listen; the port may be left out: 7118; not set: none"},
      {"lease", SettingKind::kLease, "2s", {kCoordinator}, {}, "a worker that is silent for longer is lost"},
      {"state_dir",
       SettingKind::kFolderOrNone,
       "",
       {kCoordinator},
       {},
       "keep the runs in this folder; none: only in memory; not set: $STATE_DIRECTORY, else /var/lib/tutti"},
      {"keep_age",
       SettingKind::kDurationOrNone,
       "none",
       {kCoordinator},
       {},
       "remove kept runs that ended longer ago, as in 2160h; none: never"},
      {"keep_size",
       SettingKind::kSizeOrNone,
       "10GiB",
       {kCoordinator},
       {},
       "remove the oldest kept runs when all together are larger; none: never"},
      {"name",
       SettingKind::kText,
       "",
       {kWorker},
       {},
       "this host's name in plans and reports; not set: the host name"},
      {"label",
       SettingKind::kLabels,
       "",
       {kWorker},
       {},
       "KEY=VALUE each, for roles that choose hosts by label"},
      {"address",
       SettingKind::kNumericAddress,
       "",
       {kWorker},
       {},
       "numeric address by which other hosts reach this one; not set: the one that reaches the coordinator"},
      {"log_level",
       SettingKind::kWord,
       "info",
       {kCoordinator, kWorker},
       {"trace", "debug", "info", "warn", "error", "off"},
       "the least of what is logged"},
      {"log_file",
       SettingKind::kText,
       "",
       {kCoordinator, kWorker},
       {},
       "append the log to this file; not set: standard error"},
  };
  return table;
}

const Setting* FindSetting(std::string_view key) {
  for (const Setting& setting : SettingTable()) {
    if (key == setting.key) return &setting;
  }
  return nullptr;
}

std::vector<std::string> SettingKeys() {
  std::vector<std::string> keys;
  for (const Setting& setting : SettingTable()) keys.emplace_back(setting.key);
  return keys;
}

bool IsOf(const Setting& setting, Program program) {
  return std::find(setting.programs.begin(), setting.programs.end(), program) != setting.programs.end();
}

bool IsList(const Setting& setting) {
  return setting.kind == SettingKind::kEndpoints || setting.kind == SettingKind::kLabels;
}

std::string FlagOf(const Setting& setting) {
  std::string flag = absl::StrCat("--", setting.key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string VariableOf(const Setting& setting) {
  std::string variable = kVariablePrefix;
  for (const char* c = setting.key; *c != '\0'; ++c) {
    variable += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  }
  return variable;
}

std::string CheckSetting(const Setting& setting, std::string_view text) {
  if (text.empty()) return "is empty: write a value, or leave it out";
  const std::string quoted = absl::StrCat("\"", Printable(text), "\"");
  if (FindControlCharacter(text)) return absl::StrCat(quoted, " holds a control character");
  switch (setting.kind) {
    case SettingKind::kBool:
      return text == "true" || text == "false" ? "" : absl::StrCat(quoted, " is neither true nor false");
    case SettingKind::kWord: {
      const bool known = std::find(setting.words.begin(), setting.words.end(), text) != setting.words.end();
      if (known) return "";
      return absl::StrCat(quoted, " is not one of ", absl::StrJoin(setting.words, ", "));
    }
    case SettingKind::kLease:
      return std::string(ParseLeaseNs(text).status().message());
    case SettingKind::kDurationOrNone:
      return CheckOrNone(text, &ParseDurationNs);
    case SettingKind::kSizeOrNone:
      return CheckOrNone(text, &ParseSizeBytes);
    case SettingKind::kEndpoint:
    case SettingKind::kEndpoints:
      return CheckEndpoint(text);
    case SettingKind::kFolderOrNone:
      return CheckFolderOrNone(text);
    case SettingKind::kNumericAddress:
      return CheckNumericAddress(text);
    case SettingKind::kLabels:
      return CheckLabel(text);
    case SettingKind::kText:
      return "";
  }
  return "";
}

}  // namespace tutti
