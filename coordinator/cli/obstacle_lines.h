// What keeps a run from starting, as text. Pure but for the time zone of the process; thread-safe.
#pragma once

#include <string>

#include "tutti/v1/service.pb.h"

namespace tutti::cli {

// A line for each obstacle with its host, whose run it is, since when and how much longer; says so where
// there is none.
std::string RenderWhyNot(const std::string& run_id, const tutti::v1::WhyNotResponse& why);

}  // namespace tutti::cli
