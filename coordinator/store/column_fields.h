// The scalars of any message as 64 bits each, by reflection. Pure; thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>

namespace tutti::store {

// What a field's column is made of. The numbers are stored: they keep their meaning.
enum class ColumnKind : uint64_t { kNumber = 0, kDouble = 1, kText = 2, kMessage = 3 };

ColumnKind KindOf(const google::protobuf::FieldDescriptor& field);

// Of a field that is neither text nor message: integers sign-extended, a float or double by its bits. `index`
// is the element of a repeated field and is ignored for others.
uint64_t BitsOf(const google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field,
                int index);

// The inverse: sets the field, or adds an element to a repeated one.
void PutBits(google::protobuf::Message& message, const google::protobuf::FieldDescriptor* field,
             uint64_t bits);

}  // namespace tutti::store
