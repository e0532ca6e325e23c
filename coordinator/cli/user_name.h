// Who asks, as those who share the hosts are told.
#pragma once

#include <string>

namespace tutti::cli {

// "alice@lab7": the user, behind sudo the one who called it, at this host. Not thread-safe beside changes of
// the environment.
std::string UserName();

}  // namespace tutti::cli
