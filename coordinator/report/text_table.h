// Lines of cells in aligned columns. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::report {

enum class Align { kLeft, kRight };

// Columns on a terminal that a UTF-8 text takes, every code point taken as one.
size_t DisplayWidth(std::string_view text);

class TextTable {
 public:
  void AddColumn(std::string name, Align align = Align::kRight);
  // Cells that are missing at the end are empty.
  void AddRow(std::vector<std::string> cells);
  size_t rows() const { return rows_.size(); }

  // Header and rows, each with a newline, two blanks between columns, none at the end of a line.
  // `bold_header` uses ANSI codes.
  std::string Render(std::string_view indent = {}, bool bold_header = false) const;

 private:
  struct Column {
    std::string name;
    Align align;
  };
  std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tutti::report
