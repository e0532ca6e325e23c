// docs/result.md names every field of every message that a result can hold, and nothing that is not there.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "coordinator/report/report.h"
#include "tests/unit/coordinator/report/sample_result.h"
#include "tutti/v1/result.pb.h"

namespace tutti::report {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

void Collect(const Descriptor& type, std::map<std::string, const Descriptor*>& types) {
  if (type.options().map_entry() || !types.emplace(type.name(), &type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    if (type.field(i)->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      Collect(*type.field(i)->message_type(), types);
  }
}

struct FieldLine {
  std::string description;
  std::string null;
};

std::string Trim(const std::string& text) {
  const size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

constexpr char kColumnsSection[] = "The table's columns";  // of the text reports, not of a message

// Section -> field -> its line.
std::map<std::string, std::map<std::string, FieldLine>> ReadDocument() {
  std::ifstream file(std::string(TUTTI_SOURCE_DIR) + "/docs/result.md");
  std::map<std::string, std::map<std::string, FieldLine>> sections;
  std::string section;
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) != 0 || section == kColumnsSection) continue;
    std::vector<std::string> cells;
    for (size_t at = 1; at < line.size();) {
      const size_t end = line.find('|', at);
      cells.push_back(Trim(line.substr(at, end - at)));
      at = end == std::string::npos ? line.size() : end + 1;
    }
    EXPECT_EQ(cells.size(), 4u) << line;
    if (cells.size() != 4) continue;
    sections[section][cells[0].substr(1, cells[0].size() - 2)] = {cells[2], cells[3]};
  }
  return sections;
}

// The names of a table's columns are at least two blanks apart.
TEST(ResultDocumentTest, EveryColumnOfTheTableIsExplained) {
  std::ifstream file(std::string(TUTTI_SOURCE_DIR) + "/docs/result.md");
  std::stringstream all;
  all << file.rdbuf();
  std::string section = all.str();
  section = section.substr(section.find(kColumnsSection));
  section = section.substr(0, section.find("\n## "));
  const std::string table = RenderTable(SampleResult(), {});
  const std::string header = table.substr(0, table.find('\n')) + "  ";
  size_t columns = 0;
  for (size_t at = 0; at < header.size();) {
    const size_t end = header.find("  ", at);
    const std::string name = Trim(header.substr(at, end - at));
    at = end + 2;
    if (name.empty() || name == "socket_buffer") continue;  // an axis of the sample's matrix
    EXPECT_NE(section.find("`" + name + "`"), std::string::npos) << name;
    ++columns;
  }
  EXPECT_EQ(columns, 14u);  // every one but the axis
}

TEST(ResultDocumentTest, EveryFieldIsDefinedAndNullIsExplainedWhereItCanBe) {
  std::map<std::string, const Descriptor*> types;
  Collect(*tutti::v1::Result::descriptor(), types);
  auto sections = ReadDocument();
  for (const auto& [name, type] : types) {
    for (int i = 0; i < type->field_count(); ++i) {
      const FieldDescriptor& field = *type->field(i);
      const auto line = sections[name].find(field.name());
      if (line == sections[name].end()) {
        ADD_FAILURE() << name << "." << field.name() << " is not in docs/result.md";
        continue;
      }
      EXPECT_FALSE(line->second.description.empty()) << name << "." << field.name();
      const bool scalar = field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE;
      if (field.has_presence() && scalar) {
        EXPECT_FALSE(line->second.null.empty()) << name << "." << field.name() << " can be null: when?";
      }
      if (!field.has_presence()) {
        EXPECT_TRUE(line->second.null.empty()) << name << "." << field.name() << " is never null";
      }
      sections[name].erase(line);
    }
    for (const auto& [field, line] : sections[name])
      ADD_FAILURE() << name << "." << field << " does not exist";
    sections.erase(name);
  }
  for (const auto& [name, fields] : sections) ADD_FAILURE() << "section " << name << " is of no message";
}

}  // namespace
}  // namespace tutti::report
