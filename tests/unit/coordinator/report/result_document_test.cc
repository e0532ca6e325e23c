// docs/result.md names every field of every message that a result can hold, and nothing that is not there.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

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

// Section -> field -> its line.
std::map<std::string, std::map<std::string, FieldLine>> ReadDocument() {
  std::ifstream file(std::string(TUTTI_SOURCE_DIR) + "/docs/result.md");
  std::map<std::string, std::map<std::string, FieldLine>> sections;
  std::string section;
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind("## ", 0) == 0) section = line.substr(3);
    if (line.rfind("| `", 0) != 0) continue;
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
