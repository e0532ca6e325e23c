#include "coordinator/store/column_fields.h"

#include <bit>

namespace tutti::store {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

ColumnKind KindOf(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ColumnKind::kMessage;
    case FieldDescriptor::CPPTYPE_STRING:
      return ColumnKind::kText;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return ColumnKind::kDouble;
    default:
      return ColumnKind::kNumber;
  }
}

uint64_t BitsOf(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& with = *message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return static_cast<uint64_t>(static_cast<int64_t>(
          repeated ? with.GetRepeatedInt32(message, field, index) : with.GetInt32(message, field)));
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<uint64_t>(repeated ? with.GetRepeatedInt64(message, field, index)
                                            : with.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return repeated ? with.GetRepeatedUInt32(message, field, index) : with.GetUInt32(message, field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return repeated ? with.GetRepeatedUInt64(message, field, index) : with.GetUInt64(message, field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return std::bit_cast<uint64_t>(repeated ? with.GetRepeatedDouble(message, field, index)
                                              : with.GetDouble(message, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return std::bit_cast<uint32_t>(repeated ? with.GetRepeatedFloat(message, field, index)
                                              : with.GetFloat(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return (repeated ? with.GetRepeatedBool(message, field, index) : with.GetBool(message, field)) ? 1 : 0;
    case FieldDescriptor::CPPTYPE_ENUM:
      return static_cast<uint64_t>(static_cast<int64_t>(
          repeated ? with.GetRepeatedEnumValue(message, field, index) : with.GetEnumValue(message, field)));
    default:
      return 0;  // texts and messages have no bits
  }
}

void PutBits(Message& message, const FieldDescriptor* field, uint64_t bits) {
  const Reflection& with = *message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: {
      const auto value = static_cast<int32_t>(bits);
      return repeated ? with.AddInt32(&message, field, value) : with.SetInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_INT64: {
      const auto value = static_cast<int64_t>(bits);
      return repeated ? with.AddInt64(&message, field, value) : with.SetInt64(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT32: {
      const auto value = static_cast<uint32_t>(bits);
      return repeated ? with.AddUInt32(&message, field, value) : with.SetUInt32(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_UINT64:
      return repeated ? with.AddUInt64(&message, field, bits) : with.SetUInt64(&message, field, bits);
    case FieldDescriptor::CPPTYPE_DOUBLE: {
      const auto value = std::bit_cast<double>(bits);
      return repeated ? with.AddDouble(&message, field, value) : with.SetDouble(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_FLOAT: {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
      return repeated ? with.AddFloat(&message, field, value) : with.SetFloat(&message, field, value);
    }
    case FieldDescriptor::CPPTYPE_BOOL:
      return repeated ? with.AddBool(&message, field, bits != 0) : with.SetBool(&message, field, bits != 0);
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto value = static_cast<int>(bits);
      return repeated ? with.AddEnumValue(&message, field, value) : with.SetEnumValue(&message, field, value);
    }
    default:
      return;
  }
}

}  // namespace tutti::store
