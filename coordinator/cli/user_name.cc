#include "coordinator/cli/user_name.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace tutti::cli {

std::string UserName() {
  const passwd* user = getpwuid(getuid());
  const char* from_environment = getenv("SUDO_USER");
  std::string name = from_environment != nullptr ? from_environment : "";
  if (name.empty()) name = user != nullptr ? user->pw_name : absl::StrCat("uid ", getuid());
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) return name;
  return absl::StrCat(name, "@", host);
}

}  // namespace tutti::cli
