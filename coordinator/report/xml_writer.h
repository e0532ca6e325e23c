// XML 1.0 as JUnit's readers take it: elements, attributes, text (docs/decisions/0018-xml-by-hand.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tutti::report {

struct XmlAttribute {
  const char* name;
  std::string value;
};
using XmlAttributes = std::vector<XmlAttribute>;

// Writes one document. What its texts hold is always well-formed: control characters, bytes that are not
// UTF-8, and the two code points that XML forbids are written out ("\x1B"). Names are the caller's to get
// right. Not thread-safe.
class XmlWriter {
 public:
  // `out` outlives it and gets the declaration.
  explicit XmlWriter(std::string& out);

  void Open(const char* name, const XmlAttributes& attributes = {});
  // Ends the element that was opened last.
  void Close();
  // An element without elements in it.
  void Leaf(const char* name, const XmlAttributes& attributes, std::string_view text = {});

 private:
  void Begin(const char* name, const XmlAttributes& attributes);

  std::string& out_;
  std::vector<const char*> open_;
};

}  // namespace tutti::report
