// Messages with random content in every field, by reflection: what a contract may say, whatever anybody does
// say.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <random>
#include <string>

namespace tutti::store {

class RandomMessages {
 public:
  explicit RandomMessages(uint64_t seed) : random_(seed) {}

  // Each field is there with an even chance; a list has up to `longest` elements. No map, since maps have no
  // order.
  void Fill(google::protobuf::Message& message, int longest) {
    const google::protobuf::Reflection& with = *message.GetReflection();
    const google::protobuf::Descriptor* type = message.GetDescriptor();
    for (int i = 0; i < type->field_count(); ++i) {
      const google::protobuf::FieldDescriptor* field = type->field(i);
      if (field->is_map()) continue;
      const int count = Below(2) == 0 ? 0 : field->is_repeated() ? Below(longest) + 1 : 1;
      for (int j = 0; j < count; ++j) Put(message, with, field, longest);
    }
  }

 private:
  using Field = google::protobuf::FieldDescriptor;

  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint64_t>(limit)); }
  // Small, large and the largest ones.
  uint64_t Number() { return random_() >> Below(64); }
  std::string Text() {
    std::string text(static_cast<size_t>(Below(9)), 'x');
    for (char& c : text) c = static_cast<char>('a' + Below(26));
    return text;
  }

  void Put(google::protobuf::Message& message, const google::protobuf::Reflection& with, const Field* field,
           int longest) {
    const bool many = field->is_repeated();
    const uint64_t number = Number();
    const auto small = static_cast<uint32_t>(number);
    const double real = static_cast<double>(static_cast<int64_t>(number)) / 3.0;
    switch (field->cpp_type()) {
      case Field::CPPTYPE_INT32:
        many ? with.AddInt32(&message, field, static_cast<int32_t>(small))
             : with.SetInt32(&message, field, static_cast<int32_t>(small));
        break;
      case Field::CPPTYPE_INT64:
        many ? with.AddInt64(&message, field, static_cast<int64_t>(number))
             : with.SetInt64(&message, field, static_cast<int64_t>(number));
        break;
      case Field::CPPTYPE_UINT32:
        many ? with.AddUInt32(&message, field, small) : with.SetUInt32(&message, field, small);
        break;
      case Field::CPPTYPE_UINT64:
        many ? with.AddUInt64(&message, field, number) : with.SetUInt64(&message, field, number);
        break;
      case Field::CPPTYPE_DOUBLE:
        many ? with.AddDouble(&message, field, real) : with.SetDouble(&message, field, real);
        break;
      case Field::CPPTYPE_FLOAT:
        many ? with.AddFloat(&message, field, static_cast<float>(real))
             : with.SetFloat(&message, field, static_cast<float>(real));
        break;
      case Field::CPPTYPE_BOOL:
        many ? with.AddBool(&message, field, number % 2 == 0)
             : with.SetBool(&message, field, number % 2 == 0);
        break;
      case Field::CPPTYPE_ENUM: {
        const google::protobuf::EnumDescriptor* values = field->enum_type();
        const google::protobuf::EnumValueDescriptor* value = values->value(Below(values->value_count()));
        many ? with.AddEnum(&message, field, value) : with.SetEnum(&message, field, value);
        break;
      }
      case Field::CPPTYPE_STRING:
        many ? with.AddString(&message, field, Text()) : with.SetString(&message, field, Text());
        break;
      case Field::CPPTYPE_MESSAGE:
        Fill(many ? *with.AddMessage(&message, field) : *with.MutableMessage(&message, field), longest);
        break;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace tutti::store
