#include "common/config/config_sources.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/status/errno_status.h"
#include "common/status/printable.h"

namespace tutti {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 65'536;

void AddError(int reason, const std::string& path, std::vector<std::string>& errors) {
  errors.push_back(Printable(std::string(
      ErrnoStatus(reason, absl::StrCat("read ", path), "make it readable, or remove it").message())));
}

std::vector<std::string> SystemFiles(const std::string& folder, std::vector<std::string>& errors) {
  std::vector<std::string> paths;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  const bool there = error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory;
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    if (at->path().extension() == ".yaml") paths.push_back(at->path().string());
  }
  if (error && there) AddError(error.value(), folder, errors);
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string UserFile(const std::map<std::string, std::string>& environment) {
  const auto home_of = [&environment](const char* name) {
    const auto found = environment.find(name);
    return found != environment.end() && found->second.substr(0, 1) == "/" ? found->second : std::string();
  };
  const std::string config_home = home_of("XDG_CONFIG_HOME");
  if (!config_home.empty()) return absl::StrCat(config_home, "/tutti/config.yaml");
  const std::string home = home_of("HOME");
  return home.empty() ? "" : absl::StrCat(home, "/.config/tutti/config.yaml");
}

// Also a link that leads nowhere is there. A home that may not be looked into, as systemd's ProtectHome=
// makes it, has no file for this program.
bool IsThere(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0;
}

std::optional<std::string> ReadText(const std::string& path, std::vector<std::string>& errors) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would make it wait
  if (fd < 0) {
    AddError(errno, path, errors);
    return std::nullopt;
  }
  struct stat opened {};
  // Without a writer a pipe reads as an empty file.
  if (fstat(fd, &opened) == 0 && S_ISFIFO(opened.st_mode)) {
    close(fd);
    errors.push_back(absl::StrCat(Printable(path), ": is a pipe: make it a file, or remove it"));
    return std::nullopt;
  }
  std::string text;
  char buffer[4096];
  ssize_t got = 0;
  int reason = 0;
  while (text.size() <= kMostBytes && (got = read(fd, buffer, sizeof(buffer))) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      reason = errno;
      break;
    }
    text.append(buffer, static_cast<size_t>(got));
  }
  close(fd);
  if (reason != 0) {
    AddError(reason, path, errors);
    return std::nullopt;
  }
  if (text.size() > kMostBytes) {
    errors.push_back(
        absl::StrCat(Printable(path), ": has more than ", kMostBytes, " bytes: no configuration is so long"));
    return std::nullopt;
  }
  return text;
}

}  // namespace

std::map<std::string, std::string> ProcessEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view text = *at;
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
    }
  }
  return variables;
}

std::vector<ConfigFile> ReadConfigFiles(const std::string& system_folder,
                                        const std::map<std::string, std::string>& environment,
                                        std::vector<std::string>& errors) {
  std::vector<std::string> paths = SystemFiles(system_folder, errors);
  const std::string user = UserFile(environment);
  if (!user.empty() && IsThere(user)) paths.push_back(user);
  std::vector<ConfigFile> files;
  for (const std::string& path : paths) {
    std::optional<std::string> text = ReadText(path, errors);
    if (text) files.push_back({path, *std::move(text)});
  }
  return files;
}

}  // namespace tutti
