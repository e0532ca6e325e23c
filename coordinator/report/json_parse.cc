// JSON into messages, the inverse of json_write.cc.
#include <google/protobuf/descriptor.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "common/status/macros.h"
#include "coordinator/report/enum_name.h"
#include "coordinator/report/json_text.h"
#include "coordinator/report/report.h"

namespace tutti::report {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kDeepest = 64;
constexpr uint32_t kSchemaVersion = 1;

class Parser {
 public:
  explicit Parser(std::string_view text) : reader_(text) {}

  absl::Status Parse(Message& message) {
    TUTTI_RETURN_IF_ERROR(ParseMessage(message));
    return reader_.ExpectEnd();
  }

 private:
  absl::Status Fail(std::string_view what) const {
    return reader_.Error(absl::StrCat(path_.empty() ? "the document" : path_, ": ",
                                      absl::string_view(what.data(), what.size())));
  }

  absl::Status ParseMessage(Message& message) {
    if (++depth_ > kDeepest) return Fail("nested too deeply");
    if (!reader_.Accept('{')) return Fail("an object is expected");
    std::set<std::string> seen;
    while (!reader_.Accept('}')) {
      if (!seen.empty()) TUTTI_RETURN_IF_ERROR(reader_.Expect(','));
      TUTTI_ASSIGN_OR_RETURN(const std::string name, reader_.ReadString());
      const std::string::size_type parent = path_.size();
      absl::StrAppend(&path_, parent == 0 ? "" : ".", name);
      TUTTI_RETURN_IF_ERROR(reader_.Expect(':'));
      if (!seen.insert(name).second) return Fail("the key appears twice");
      const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
      if (field == nullptr) {
        return Fail(absl::StrCat("unknown key; ", message.GetDescriptor()->name(), " has no such field"));
      }
      TUTTI_RETURN_IF_ERROR(ParseField(message, *field));
      path_.resize(parent);
    }
    --depth_;
    return absl::OkStatus();
  }

  absl::Status ParseField(Message& message, const FieldDescriptor& field) {
    if (reader_.AcceptWord("null")) return absl::OkStatus();
    if (field.is_map()) return ParseMap(message, field);
    if (!field.is_repeated()) return ParseValue(message, field);
    if (!reader_.Accept('[')) return Fail("a list is expected");
    const std::string::size_type parent = path_.size();
    for (int index = 0; !reader_.Accept(']'); ++index) {
      if (index > 0) TUTTI_RETURN_IF_ERROR(reader_.Expect(','));
      absl::StrAppend(&path_, "[", index, "]");
      TUTTI_RETURN_IF_ERROR(ParseValue(message, field));
      path_.resize(parent);
    }
    return absl::OkStatus();
  }

  absl::Status ParseMap(Message& message, const FieldDescriptor& field) {
    if (!reader_.Accept('{')) return Fail("an object is expected");
    std::set<std::string> seen;
    while (!reader_.Accept('}')) {
      if (!seen.empty()) TUTTI_RETURN_IF_ERROR(reader_.Expect(','));
      TUTTI_ASSIGN_OR_RETURN(std::string key, reader_.ReadString());
      if (!seen.insert(key).second) return Fail(absl::StrCat("the key \"", key, "\" appears twice"));
      Message& entry = *message.GetReflection()->AddMessage(&message, &field);
      entry.GetReflection()->SetString(&entry, field.message_type()->map_key(), std::move(key));
      TUTTI_RETURN_IF_ERROR(reader_.Expect(':'));
      TUTTI_RETURN_IF_ERROR(ParseField(entry, *field.message_type()->map_value()));
    }
    return absl::OkStatus();
  }

  // The whole text has to be the number: no 1.5 for an integer, no overflow.
  template <typename T>
  absl::Status ReadNumber(T& value) {
    const char next = reader_.Peek();
    if (next != '-' && (next < '0' || next > '9')) return Fail("a number is expected");
    TUTTI_ASSIGN_OR_RETURN(const std::string text, reader_.ReadNumber());
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc::result_out_of_range) {
      return Fail(absl::StrCat(text, " does not fit"));
    }
    if (error != std::errc() || stop != end) {
      return Fail(
          absl::StrCat(text, std::is_integral_v<T> ? " is not a whole number in range" : " is not a number"));
    }
    return absl::OkStatus();
  }

  // Sets a singular field or appends to a repeated one.
  template <typename T>
  absl::Status Store(Message& message, const FieldDescriptor& field, T value,
                     void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
                     void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
    (message.GetReflection()->*(field.is_repeated() ? add : set))(&message, &field, std::move(value));
    return absl::OkStatus();
  }

  template <typename T>
  absl::Status StoreNumber(Message& message, const FieldDescriptor& field,
                           void (Reflection::*set)(Message*, const FieldDescriptor*, T) const,
                           void (Reflection::*add)(Message*, const FieldDescriptor*, T) const) {
    T value{};
    TUTTI_RETURN_IF_ERROR(ReadNumber(value));
    return Store(message, field, value, set, add);
  }

  absl::Status ParseValue(Message& message, const FieldDescriptor& field) {
    using R = Reflection;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return StoreNumber(message, field, &R::SetInt32, &R::AddInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return StoreNumber(message, field, &R::SetInt64, &R::AddInt64);
      case FieldDescriptor::CPPTYPE_UINT32:
        return StoreNumber(message, field, &R::SetUInt32, &R::AddUInt32);
      case FieldDescriptor::CPPTYPE_UINT64:
        return StoreNumber(message, field, &R::SetUInt64, &R::AddUInt64);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return StoreNumber(message, field, &R::SetDouble, &R::AddDouble);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return StoreNumber(message, field, &R::SetFloat, &R::AddFloat);
      case FieldDescriptor::CPPTYPE_BOOL: {
        const bool value = reader_.AcceptWord("true");
        if (!value && !reader_.AcceptWord("false")) return Fail("true or false is expected");
        return Store(message, field, value, &R::SetBool, &R::AddBool);
      }
      case FieldDescriptor::CPPTYPE_ENUM:
        return ParseEnum(message, field);
      case FieldDescriptor::CPPTYPE_STRING: {
        if (reader_.Peek() != '"') return Fail("a string is expected");
        TUTTI_ASSIGN_OR_RETURN(std::string value, reader_.ReadString());
        return Store(message, field, std::move(value), &R::SetString, &R::AddString);
      }
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        const Reflection& reflection = *message.GetReflection();
        return ParseMessage(field.is_repeated() ? *reflection.AddMessage(&message, &field)
                                                : *reflection.MutableMessage(&message, &field));
      }
    }
    return Fail("a field of a kind that is not known");
  }

  absl::Status ParseEnum(Message& message, const FieldDescriptor& field) {
    int number = 0;
    if (reader_.Peek() == '"') {
      TUTTI_ASSIGN_OR_RETURN(const std::string name, reader_.ReadString());
      const std::optional<int> found = FindEnumValue(*field.enum_type(), name);
      if (!found.has_value()) return Fail(absl::StrCat("unknown value \"", name, "\""));
      number = *found;
    } else {
      TUTTI_RETURN_IF_ERROR(ReadNumber(number));
    }
    return Store(message, field, number, &Reflection::SetEnumValue, &Reflection::AddEnumValue);
  }

  JsonReader reader_;
  std::string path_;
  int depth_ = 0;
};

}  // namespace

absl::Status ParseMessageJson(std::string_view json, Message& message) {
  message.Clear();
  return Parser(json).Parse(message);
}

absl::StatusOr<tutti::v1::Result> ParseJson(std::string_view json) {
  tutti::v1::Result result;
  if (const absl::Status status = ParseMessageJson(json, result); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("not a result of tutti: ", status.message()));
  }
  if (result.schema_version() == 0) {
    return absl::InvalidArgumentError("not a result of tutti: it has no schema_version");
  }
  if (result.schema_version() > kSchemaVersion) {
    return absl::InvalidArgumentError(absl::StrCat("the result has schema ", result.schema_version(),
                                                   ", this program knows up to ", kSchemaVersion,
                                                   "; use a newer tutti"));
  }
  return result;
}

}  // namespace tutti::report
