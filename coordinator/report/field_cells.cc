#include "coordinator/report/field_cells.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "coordinator/report/enum_name.h"

namespace tutti::report {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The shortest digits that read back as the same value. What is no number is not known.
std::string Digits(double value) {
  if (!std::isfinite(value)) return "";
  char digits[32];  // the longest double has 24 characters
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  return std::string(digits, end);
}

std::string EnumText(const FieldDescriptor& field, int number) {
  const auto* value = field.enum_type()->FindValueByNumber(number);
  return value == nullptr ? absl::StrCat(number) : ShortEnumName(*value);
}

std::string ValueText(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(reflection.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(reflection.GetUInt32(message, &field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(reflection.GetUInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Digits(reflection.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Digits(reflection.GetFloat(message, &field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumText(field, reflection.GetEnumValue(message, &field));
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.GetString(message, &field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;  // is flattened and has no value of its own
  }
  return "";
}

}  // namespace

void AppendFieldNames(const Descriptor& type, const std::string& prefix, std::vector<std::string>& names) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.is_repeated()) continue;
    const std::string name = absl::StrCat(prefix, field.name());
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      AppendFieldNames(*field.message_type(), absl::StrCat(name, "."), names);
    } else {
      names.push_back(name);
    }
  }
}

void AppendFieldValues(const Descriptor& type, const Message* message, std::vector<std::string>& values) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (field.is_repeated()) continue;
    const bool known =
        message != nullptr && (!field.has_presence() || message->GetReflection()->HasField(*message, &field));
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      AppendFieldValues(*field.message_type(),
                        known ? &message->GetReflection()->GetMessage(*message, &field) : nullptr, values);
    } else {
      values.push_back(known ? ValueText(*message, field) : "");
    }
  }
}

}  // namespace tutti::report
