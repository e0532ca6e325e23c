// Names in the order in which people count them: host2 before host10. Pure; thread-safe.
#pragma once

#include <string_view>

namespace tutti::plan {

// A strict weak order in which runs of digits compare by value and everything else by byte.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace tutti::plan
