// One line of a CSV file. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

namespace tutti::report {

// Quotes as RFC 4180 has it; the line ends with LF alone, or awk and cut would find a carriage return in the
// last column. Control characters and bytes that are not UTF-8 are written out ("\x1B"); line breaks stay, in
// quotes.
void AppendCsvLine(const std::vector<std::string>& cells, std::string& out);

}  // namespace tutti::report
