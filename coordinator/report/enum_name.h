// The names of enum values as users see them: TRIAL_STATUS_OVER_LIMIT is "over_limit". Pure; thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string>
#include <string_view>

namespace tutti::report {

// Without the enum's own name, in lower case.
std::string ShortEnumName(const google::protobuf::EnumValueDescriptor& value);

// The number of a value by its short or its full name.
std::optional<int> FindEnumValue(const google::protobuf::EnumDescriptor& type, std::string_view name);

// "over_limit" of a generated enum; "?" for a number that the schema does not know.
template <typename E>
std::string EnumName(E value) {
  const auto* found = google::protobuf::GetEnumDescriptor<E>()->FindValueByNumber(static_cast<int>(value));
  return found == nullptr ? "?" : ShortEnumName(*found);
}

}  // namespace tutti::report
