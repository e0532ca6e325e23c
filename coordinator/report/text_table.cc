#include "coordinator/report/text_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tutti::report {

size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // not a continuation byte
  }));
}

void TextTable::AddColumn(std::string name, Align align) { columns_.push_back({std::move(name), align}); }

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const {
  std::string line;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string padding(widths[i] - DisplayWidth(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += columns_[i].align == Align::kRight ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string TextTable::Render(std::string_view indent, bool bold_header) const {
  std::vector<size_t> widths;
  std::vector<std::string> names;
  for (size_t i = 0; i < columns_.size(); ++i) {
    names.push_back(columns_[i].name);
    widths.push_back(DisplayWidth(columns_[i].name));
    for (const auto& row : rows_) widths[i] = std::max(widths[i], DisplayWidth(row[i]));
  }
  const std::string margin(indent);
  std::string text = absl::StrCat(margin, bold_header ? "\033[1m" : "", Line(names, widths),
                                  bold_header ? "\033[0m" : "", "\n");
  for (const auto& row : rows_) absl::StrAppend(&text, margin, Line(row, widths), "\n");
  return text;
}

}  // namespace tutti::report
