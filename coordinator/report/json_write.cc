// Messages as JSON, by reflection (docs/decisions/0003-json-numbers.md).
#include <google/protobuf/descriptor.h>

#include <charconv>
#include <cmath>
#include <map>
#include <string>

#include "coordinator/report/enum_name.h"
#include "coordinator/report/json_text.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

template <typename T>
void AppendNumber(T value, std::string& out) {
  char digits[32];  // the longest double has 24 characters
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, end);
}

void AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";  // JSON has no other word for it
    return;
  }
  AppendNumber(value, out);  // the shortest digits that read back as the same value
}

class Writer {
 public:
  Writer(bool indent, std::string& out) : indent_(indent), out_(out) {}

  void WriteMessage(const Message& message) {
    const Descriptor& type = *message.GetDescriptor();
    out_ += '{';
    ++depth_;
    bool first = true;
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      // Of a oneof only the member that is set exists.
      if (field.real_containing_oneof() != nullptr && !message.GetReflection()->HasField(message, &field))
        continue;
      StartItem(first);
      AppendJsonString(field.name(), out_);
      out_ += indent_ ? ": " : ":";
      WriteField(message, field);
    }
    --depth_;
    if (!first) NewLine();
    out_ += '}';
  }

 private:
  void StartItem(bool& first) {
    if (!first) out_ += ',';
    first = false;
    NewLine();
  }

  void NewLine() {
    if (!indent_) return;
    out_ += '\n';
    out_.append(static_cast<size_t>(depth_), ' ');
  }

  void WriteField(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    if (field.is_map()) return WriteMap(message, field);
    if (field.is_repeated()) return WriteRepeated(message, field);
    if (field.has_presence() && !reflection.HasField(message, &field)) {
      out_ += "null";
      return;
    }
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return AppendNumber(reflection.GetInt32(message, &field), out_);
      case FieldDescriptor::CPPTYPE_INT64:
        return AppendNumber(reflection.GetInt64(message, &field), out_);
      case FieldDescriptor::CPPTYPE_UINT32:
        return AppendNumber(reflection.GetUInt32(message, &field), out_);
      case FieldDescriptor::CPPTYPE_UINT64:
        return AppendNumber(reflection.GetUInt64(message, &field), out_);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return AppendDouble(reflection.GetDouble(message, &field), out_);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return AppendDouble(reflection.GetFloat(message, &field), out_);
      case FieldDescriptor::CPPTYPE_BOOL:
        out_ += reflection.GetBool(message, &field) ? "true" : "false";
        return;
      case FieldDescriptor::CPPTYPE_ENUM:
        return WriteEnum(field, reflection.GetEnumValue(message, &field));
      case FieldDescriptor::CPPTYPE_STRING:
        return AppendJsonString(reflection.GetString(message, &field), out_);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return WriteMessage(reflection.GetMessage(message, &field));
    }
  }

  void WriteEnum(const FieldDescriptor& field, int number) {
    const auto* value = field.enum_type()->FindValueByNumber(number);
    if (value == nullptr) return AppendNumber(number, out_);
    AppendJsonString(ShortEnumName(*value), out_);
  }

  void WriteElement(const Message& message, const FieldDescriptor& field, int index) {
    const Reflection& reflection = *message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return AppendNumber(reflection.GetRepeatedInt32(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_INT64:
        return AppendNumber(reflection.GetRepeatedInt64(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_UINT32:
        return AppendNumber(reflection.GetRepeatedUInt32(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_UINT64:
        return AppendNumber(reflection.GetRepeatedUInt64(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return AppendDouble(reflection.GetRepeatedDouble(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return AppendDouble(reflection.GetRepeatedFloat(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_BOOL:
        out_ += reflection.GetRepeatedBool(message, &field, index) ? "true" : "false";
        return;
      case FieldDescriptor::CPPTYPE_ENUM:
        return WriteEnum(field, reflection.GetRepeatedEnumValue(message, &field, index));
      case FieldDescriptor::CPPTYPE_STRING:
        return AppendJsonString(reflection.GetRepeatedString(message, &field, index), out_);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return WriteMessage(reflection.GetRepeatedMessage(message, &field, index));
    }
  }

  void WriteRepeated(const Message& message, const FieldDescriptor& field) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    const bool of_messages = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    out_ += '[';
    ++depth_;
    for (int i = 0; i < size; ++i) {
      if (i > 0) out_ += of_messages || !indent_ ? "," : ", ";
      if (of_messages) NewLine();  // numbers stay on one line
      WriteElement(message, field, i);
    }
    --depth_;
    if (of_messages && size > 0) NewLine();
    out_ += ']';
  }

  // Maps have strings as keys and values here; they are written in the order of their keys.
  void WriteMap(const Message& message, const FieldDescriptor& field) {
    const Reflection& reflection = *message.GetReflection();
    std::map<std::string, const Message*> entries;
    for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
      const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
      entries[entry.GetReflection()->GetString(entry, field.message_type()->map_key())] = &entry;
    }
    out_ += '{';
    ++depth_;
    bool first = true;
    for (const auto& [key, entry] : entries) {
      StartItem(first);
      AppendJsonString(key, out_);
      out_ += indent_ ? ": " : ":";
      WriteField(*entry, *field.message_type()->map_value());
    }
    --depth_;
    if (!first) NewLine();
    out_ += '}';
  }

  const bool indent_;
  std::string& out_;
  int depth_ = 0;
};

}  // namespace

std::string RenderMessageJson(const Message& message, const JsonStyle& style) {
  std::string out;
  Writer(style.indent, out).WriteMessage(message);
  if (style.indent) out += '\n';
  return out;
}

std::string RenderJson(const tutti::v1::Result& result) { return RenderMessageJson(result, JsonStyle{}); }

}  // namespace tutti::report
