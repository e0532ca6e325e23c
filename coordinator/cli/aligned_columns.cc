#include "coordinator/cli/aligned_columns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"

namespace tutti::cli {

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(row.size(), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Printable(row[i]).size());
  }
  std::string table;
  for (const std::vector<std::string>& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      const std::string cell = Printable(row[i]);
      absl::StrAppend(&table, cell, std::string(widths[i] - cell.size() + 2, ' '));
    }
    absl::StrAppend(&table, Printable(row.back()), "\n");
  }
  return table;
}

}  // namespace tutti::cli
