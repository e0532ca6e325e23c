// The reasons of a result as a text for people has them. Pure; thread-safe.
#pragma once

#include <google/protobuf/repeated_field.h>

#include <string>
#include <vector>

namespace tutti::report {

// A run has at least one reason for each case that was not run, and there may be ten thousand.
inline constexpr int kReasonsInText = 20;

// The first kReasonsInText, and where there are more a last line that says how many.
std::vector<std::string> FirstReasons(const google::protobuf::RepeatedPtrField<std::string>& reasons);

}  // namespace tutti::report
