#include "coordinator/api/http/message_schema.h"

#include <cstdint>
#include <utility>

#include "coordinator/report/enum_name.h"

namespace tutti::http {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using report::Document;

constexpr char kPrefix[] = "#/components/schemas/";

// "RunInfo.State" of tutti.v1.RunInfo.State.
std::string NameOf(const std::string& full_name, const google::protobuf::FileDescriptor& file) {
  const std::string& package = file.package();
  return package.empty() ? full_name : full_name.substr(package.size() + 1);
}

Document Reference(const std::string& name) {
  Document reference = Document::Map();
  reference.Add("$ref", Document::Text(kPrefix + name));
  return reference;
}

Document Plain(std::string_view type) {
  Document schema = Document::Map();
  schema.Add("type", Document::Text(type));
  return schema;
}

Document Formatted(std::string_view type, std::string_view format) {
  Document schema = Plain(type);
  schema.Add("format", Document::Text(format));
  return schema;
}

Document Unsigned() {
  Document schema = Formatted("integer", "int64");
  schema.Add("minimum", Document::Number(0));
  return schema;
}

Document EnumSchema(const EnumDescriptor& type, Schemas& schemas) {
  const std::string name = NameOf(type.full_name(), *type.file());
  if (!schemas.contains(name)) {
    Document words = Document::List();
    for (int i = 0; i < type.value_count(); ++i) {
      words.Add(Document::Text(report::ShortEnumName(*type.value(i))));
    }
    Document schema = Plain("string");
    schema.Add("enum", std::move(words));
    schemas.emplace(name, std::move(schema));
  }
  return Reference(name);
}

// Of one value of the field, whether or not it is repeated.
Document ValueSchema(const FieldDescriptor& field, Schemas& schemas) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Formatted("integer", "int32");
    case FieldDescriptor::CPPTYPE_INT64:
      return Formatted("integer", "int64");
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return Unsigned();
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return Formatted("number", "double");
    case FieldDescriptor::CPPTYPE_BOOL:
      return Plain("boolean");
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumSchema(*field.enum_type(), schemas);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return SchemaOf(*field.message_type(), schemas);
    case FieldDescriptor::CPPTYPE_STRING:
      break;
  }
  return Plain("string");
}

bool IsReference(const Document& schema) { return !schema.keys.empty() && schema.keys.front() == "$ref"; }

// In OpenAPI 3.0 nothing may stand beside a $ref.
Document Nullable(Document schema) {
  if (IsReference(schema)) {
    Document one = Document::List();
    one.Add(std::move(schema));
    schema = Document::Map();
    schema.Add("allOf", std::move(one));
  }
  schema.Add("nullable", Document::Bool(true));
  return schema;
}

Document FieldSchema(const FieldDescriptor& field, Schemas& schemas) {
  if (field.is_map()) {
    Document schema = Plain("object");
    schema.Add("additionalProperties", ValueSchema(*field.message_type()->map_value(), schemas));
    return schema;
  }
  if (field.is_repeated()) {
    Document schema = Plain("array");
    schema.Add("items", ValueSchema(field, schemas));
    return schema;
  }
  Document schema = ValueSchema(field, schemas);
  // JSON has no word for what is not finite: it is null.
  const bool floating = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
  return field.has_presence() || floating ? Nullable(std::move(schema)) : schema;
}

// No request with a plan's text makes sense without it; proto3 has no word for that.
bool NeedsPlan(const Descriptor& type) {
  const FieldDescriptor* plan = type.FindFieldByName("plan");
  return plan != nullptr && plan->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}

}  // namespace

Document SchemaOf(const Descriptor& type, Schemas& schemas) {
  const std::string name = NameOf(type.full_name(), *type.file());
  // There before its fields are looked at: a message may hold others of its kind.
  if (!schemas.emplace(name, Document()).second) return Reference(name);
  Document properties = Document::Map();
  for (int i = 0; i < type.field_count(); ++i) {
    properties.Add(type.field(i)->name(), FieldSchema(*type.field(i), schemas));
  }
  Document schema = Plain("object");
  if (NeedsPlan(type)) schema.Add("required", Document::Texts({"plan"}));
  schema.Add("properties", std::move(properties));
  schemas[name] = std::move(schema);
  return Reference(name);
}

}  // namespace tutti::http
