// Lists of small numbers as short texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutti {

// "0-3,8,10-11": the order stays, numbers that follow one another become a range. Of an ascending list it
// is the kernel's notation for a set of CPUs (Documentation/admin-guide/cputopology.rst). Empty for none.
// Pure.
std::string NumberRanges(const std::vector<uint32_t>& numbers);

}  // namespace tutti
