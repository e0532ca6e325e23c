// What keeps a run from starting, in words. Pure but for the time zone; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tutti/v1/service.pb.h"

namespace tutti::run {

// Of a host that is busy or promised: "host a: runs run-7 of alice since 13:50:02", "host a: run-8 of bob is
// next".
std::string ObstacleLine(const tutti::v1::Obstacle& obstacle);

// All of them in one sentence, hosts with the same reason together: "host7 runs run-41 of alice since 13:50,
// about 4m left; host8 and host9 go to run-42 first; host10 is lost since 13:48". Of more than four hosts
// three are named. Empty if there are none.
std::string ObstacleSentence(const std::vector<tutti::v1::Obstacle>& obstacles, int64_t now_unix_ns);

}  // namespace tutti::run
