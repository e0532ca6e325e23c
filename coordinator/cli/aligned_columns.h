// A small table as plain text. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

// One line for each row, columns two spaces apart. Control characters in cells are written out. All rows have
// as many cells as the first.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace tutti::cli
