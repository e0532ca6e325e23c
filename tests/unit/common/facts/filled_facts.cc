#include "tests/unit/common/facts/filled_facts.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace tutti {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// `next` counts in steps, so that a value that is changed by one is not its neighbour's.
void Fill(Message& message, uint32_t& next) {
  const Reflection& with = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    const bool repeated = field->is_repeated();
    for (int count = repeated ? 2 : 1; count > 0; --count) {
      next += 10;
      switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_UINT32:
          repeated ? with.AddUInt32(&message, field, next) : with.SetUInt32(&message, field, next);
          break;
        case FieldDescriptor::CPPTYPE_UINT64:
          repeated ? with.AddUInt64(&message, field, next) : with.SetUInt64(&message, field, next);
          break;
        case FieldDescriptor::CPPTYPE_BOOL:
          repeated ? with.AddBool(&message, field, true) : with.SetBool(&message, field, true);
          break;
        case FieldDescriptor::CPPTYPE_STRING:
          repeated ? with.AddString(&message, field, absl::StrCat("text", next))
                   : with.SetString(&message, field, absl::StrCat("text", next));
          break;
        case FieldDescriptor::CPPTYPE_MESSAGE:
          Fill(repeated ? *with.AddMessage(&message, field) : *with.MutableMessage(&message, field), next);
          break;
        default:
          ADD_FAILURE() << field->full_name() << " is of a kind that no fact had so far";
      }
    }
  }
}

// The element at `index` of a repeated field, or the field itself.
void ChangeOne(Message& message, const FieldDescriptor* field, int index, const std::string& path,
               const std::function<void(const std::string&)>& check) {
  const Reflection& with = *message.GetReflection();
  const auto set_number = [&](uint64_t number) {
    const auto small = static_cast<uint32_t>(number);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64) {
      field->is_repeated() ? with.SetRepeatedUInt64(&message, field, index, number)
                           : with.SetUInt64(&message, field, number);
    } else {
      field->is_repeated() ? with.SetRepeatedUInt32(&message, field, index, small)
                           : with.SetUInt32(&message, field, small);
    }
  };
  const auto set_text = [&](const std::string& text) {
    field->is_repeated() ? with.SetRepeatedString(&message, field, index, text)
                         : with.SetString(&message, field, text);
  };
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64: {
      const bool wide = field->cpp_type() == FieldDescriptor::CPPTYPE_UINT64;
      const uint64_t before = field->is_repeated()
                                  ? (wide ? with.GetRepeatedUInt64(message, field, index)
                                          : with.GetRepeatedUInt32(message, field, index))
                                  : (wide ? with.GetUInt64(message, field) : with.GetUInt32(message, field));
      set_number(before + 1);
      check(path);
      set_number(before);
      break;
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      with.SetBool(&message, field, !with.GetBool(message, field));
      check(path);
      with.SetBool(&message, field, !with.GetBool(message, field));
      break;
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string before = field->is_repeated() ? with.GetRepeatedString(message, field, index)
                                                      : with.GetString(message, field);
      set_text(before + "x");
      check(path);
      set_text(before);
      break;
    }
    default:
      ADD_FAILURE() << path << " is of a kind that no fact had so far";
  }
}

}  // namespace

v1::HostFacts FilledFacts() {
  v1::HostFacts facts;
  uint32_t next = 0;
  Fill(facts, next);
  return facts;
}

void ForEachChange(Message& message, const std::string& path,
                   const std::function<void(const std::string& path)>& check) {
  const Reflection& with = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    const int count = field->is_repeated() ? with.FieldSize(message, field) : 1;
    for (int at = 0; at < count; ++at) {
      const std::string number = field->is_repeated() ? absl::StrCat("#", at) : "";
      const std::string own = absl::StrCat(path, path.empty() ? "" : ".", field->name(), number);
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
        ChangeOne(message, field, at, own, check);
      } else {
        ForEachChange(field->is_repeated() ? *with.MutableRepeatedMessage(&message, field, at)
                                           : *with.MutableMessage(&message, field),
                      own, check);
      }
    }
  }
}

}  // namespace tutti
