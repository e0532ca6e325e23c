#include "coordinator/report/enum_name.h"

#include <cctype>

namespace tutti::report {
namespace {

// "TrialStatus" -> "TRIAL_STATUS_": the prefix that the style of proto files demands of every value.
std::string PrefixOf(const google::protobuf::EnumDescriptor& type) {
  std::string prefix;
  for (const char c : type.name()) {
    if (std::isupper(static_cast<unsigned char>(c)) && !prefix.empty()) prefix += '_';
    prefix += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return prefix + '_';
}

}  // namespace

std::string ShortEnumName(const google::protobuf::EnumValueDescriptor& value) {
  std::string name = value.name();
  const std::string prefix = PrefixOf(*value.type());
  if (name.compare(0, prefix.size(), prefix) == 0) name.erase(0, prefix.size());
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

std::optional<int> FindEnumValue(const google::protobuf::EnumDescriptor& type, std::string_view name) {
  for (int i = 0; i < type.value_count(); ++i) {
    const auto& value = *type.value(i);
    if (name == value.name() || name == ShortEnumName(value)) return value.number();
  }
  return std::nullopt;
}

}  // namespace tutti::report
