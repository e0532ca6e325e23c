// docs/configuration.md from the table of settings; a test compares them.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/config/setting.h"

namespace tutti {
namespace {

constexpr char kHead[] = R"(# Configuration

What would otherwise be said with each command can be written down once. Later layers win over earlier ones:

1. what is built in (*default* below);
2. `/etc/tutti/*.yaml`, in the order of the files' names;
3. the user's file, `$XDG_CONFIG_HOME/tutti/config.yaml`, by default `~/.config/tutti/config.yaml`;
4. the variables `TUTTI_*` of the environment; an empty one counts as not set;
5. flags.

A list is replaced as a whole, not added to. `tutti config show --origin` prints what holds and which layer it came from: the file with line
and column, the variable, or the flag. All three programs read the same files, and each takes the settings that it has; the user's file and
the variables are those of whoever starts a program, so a daemon under systemd has others than a shell. `--no-config`, before
or behind the command, reads no file and no variable. The daemons of a lab are started with it: a lab is the same for everyone.

```yaml
# /etc/tutti/lab.yaml
coordinator: 10.0.0.1
insecure: true
label: [rack=a, row=2]
```

Files are read strictly. An unknown key, a key that occurs twice, a value of the wrong type, a variable with a wrong value and a file that
cannot be read are errors, all told at once with their places, and the program ends with exit code 2. A variable `TUTTI_*` that is near the
name of one, such as `TUTTI_COORDINATR`, is a warning. Others are left alone: build systems and wrappers use the prefix too, and
a program must not stop working because of what somebody else put into the environment.

- A *list* is a YAML list, or one text; in a variable its parts stand between commas.
- A *flag* has the name of the key, with `-` for `_`. What a file turns on a flag turns off: `--detail=false`.
- `insecure` allows plain text to every coordinator and, in the coordinator's own configuration, to every worker: write it only where all
  networks are your own.

| key | type | default | variable | flag | programs | what it is |
|---|---|---|---|---|---|---|
)";

std::string TypeText(const Setting& setting) {
  switch (setting.kind) {
    case SettingKind::kText:
      return "text";
    case SettingKind::kBool:
      return "true or false";
    case SettingKind::kWord:
      return absl::StrJoin(setting.words, ", ");
    case SettingKind::kLease:
      return "duration, 100ms to 10m";
    case SettingKind::kDurationOrNone:
      return "duration, or none";
    case SettingKind::kSizeOrNone:
      return "size, or none";
    case SettingKind::kEndpoint:
      return "address";
    case SettingKind::kEndpoints:
      return "list of addresses";
    case SettingKind::kFolderOrNone:
      return "absolute path, or none";
    case SettingKind::kNumericAddress:
      return "numeric address";
    case SettingKind::kLabels:
      return "list of KEY=VALUE";
  }
  return "";
}

}  // namespace

std::string ConfigurationPage() {
  std::string page = kHead;
  for (const Setting& setting : SettingTable()) {
    const std::string default_text =
        setting.default_text[0] == '\0' ? std::string("-") : absl::StrCat("`", setting.default_text, "`");
    absl::StrAppend(
        &page, "| `", setting.key, "` | ", TypeText(setting), " | ", default_text, " | `",
        VariableOf(setting), "` | `", FlagOf(setting), "` | ",
        absl::StrJoin(setting.programs, ", ",
                      [](std::string* out, Program program) { out->append(ProgramName(program)); }),
        " | ", setting.help, " |\n");
  }
  return page;
}

}  // namespace tutti
