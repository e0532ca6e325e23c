#include "coordinator/report/xml_writer.h"

#include "absl/strings/str_cat.h"
#include "common/status/printable.h"

namespace tutti::report {
namespace {

enum class Place { kText, kAttribute };

// Of the characters that PrintableLines leaves only U+FFFE and U+FFFF are outside XML 1.0's `Char`.
std::string_view ForbiddenAt(const std::string& text, size_t offset) {
  const std::string_view three = std::string_view(text).substr(offset, 3);
  if (three == "\xEF\xBF\xBE") return "\\uFFFE";
  if (three == "\xEF\xBF\xBF") return "\\uFFFF";
  return {};
}

void AppendEscaped(std::string_view raw, Place place, std::string& out) {
  const std::string text = PrintableLines(raw);
  for (size_t i = 0; i < text.size(); ++i) {
    if (const std::string_view written_out = ForbiddenAt(text, i); !written_out.empty()) {
      out += written_out;
      i += 2;
    } else if (text[i] == '&') {
      out += "&amp;";
    } else if (text[i] == '<') {
      out += "&lt;";
    } else if (text[i] == '>') {
      out += "&gt;";  // "]]>" is not allowed in a text
    } else if (text[i] == '"') {
      out += "&quot;";
    } else if (text[i] == '\n' && place == Place::kAttribute) {
      out += "&#10;";  // a reader makes a blank of a plain one
    } else {
      out += text[i];
    }
  }
}

}  // namespace

XmlWriter::XmlWriter(std::string& out) : out_(out) { out_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"; }

void XmlWriter::Begin(const char* name, const XmlAttributes& attributes) {
  out_.append(2 * open_.size(), ' ');
  absl::StrAppend(&out_, "<", name);
  for (const XmlAttribute& attribute : attributes) {
    absl::StrAppend(&out_, " ", attribute.name, "=\"");
    AppendEscaped(attribute.value, Place::kAttribute, out_);
    out_ += '"';
  }
}

void XmlWriter::Open(const char* name, const XmlAttributes& attributes) {
  Begin(name, attributes);
  out_ += ">\n";
  open_.push_back(name);
}

void XmlWriter::Close() {
  const char* name = open_.back();
  open_.pop_back();
  out_.append(2 * open_.size(), ' ');
  absl::StrAppend(&out_, "</", name, ">\n");
}

void XmlWriter::Leaf(const char* name, const XmlAttributes& attributes, std::string_view text) {
  Begin(name, attributes);
  if (text.empty()) {
    out_ += "/>\n";
    return;
  }
  out_ += '>';
  AppendEscaped(text, Place::kText, out_);
  absl::StrAppend(&out_, "</", name, ">\n");
}

}  // namespace tutti::report
