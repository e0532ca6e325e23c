#include "coordinator/report/csv_line.h"

#include "common/status/printable.h"

namespace tutti::report {
namespace {

void AppendCell(const std::string& cell, std::string& out) {
  const std::string text = PrintableLines(cell);
  if (text.find_first_of(",\"\n") == std::string::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

void AppendCsvLine(const std::vector<std::string>& cells, std::string& out) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) out += ',';
    AppendCell(cells[i], out);
  }
  out += '\n';
}

}  // namespace tutti::report
