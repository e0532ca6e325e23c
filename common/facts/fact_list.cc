#include "common/facts/fact_list.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/facts/number_ranges.h"

namespace tutti {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Path -> values. A path has several only where two things bear one name, as a link-local address on two
// devices.
using FactMap = std::map<std::string, std::set<std::string>>;

// `index` counts in a repeated field.
std::string ScalarText(const Message& message, const FieldDescriptor* field, int index) {
  const Reflection& from = *message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return absl::StrCat(repeated ? from.GetRepeatedInt32(message, field, index)
                                   : from.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return absl::StrCat(repeated ? from.GetRepeatedInt64(message, field, index)
                                   : from.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return absl::StrCat(repeated ? from.GetRepeatedUInt32(message, field, index)
                                   : from.GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_UINT64:
      return absl::StrCat(repeated ? from.GetRepeatedUInt64(message, field, index)
                                   : from.GetUInt64(message, field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return absl::StrCat(repeated ? from.GetRepeatedDouble(message, field, index)
                                   : from.GetDouble(message, field));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return absl::StrCat(repeated ? from.GetRepeatedFloat(message, field, index)
                                   : from.GetFloat(message, field));
    case FieldDescriptor::CPPTYPE_BOOL: {
      const bool value =
          repeated ? from.GetRepeatedBool(message, field, index) : from.GetBool(message, field);
      return value ? "true" : "false";
    }
    case FieldDescriptor::CPPTYPE_ENUM:
      return (repeated ? from.GetRepeatedEnum(message, field, index) : from.GetEnum(message, field))->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return repeated ? from.GetRepeatedString(message, field, index) : from.GetString(message, field);
    case FieldDescriptor::CPPTYPE_MESSAGE:
      break;
  }
  return "";
}

std::string ListText(const Message& message, const FieldDescriptor* field) {
  const Reflection& from = *message.GetReflection();
  const int count = from.FieldSize(message, field);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
    std::vector<uint32_t> numbers;
    numbers.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) numbers.push_back(from.GetRepeatedUInt32(message, field, i));
    return NumberRanges(numbers);
  }
  std::vector<std::string> texts;
  texts.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) texts.push_back(ScalarText(message, field, i));
  return absl::StrJoin(texts, " ");
}

void AddField(const Message& message, const FieldDescriptor* field, const std::string& path, FactMap& facts);

// One of several: the first field is its name. With one more field that one is its value, else each has a
// path.
void AddNamed(const Message& item, const std::string& path, FactMap& facts) {
  const Descriptor& type = *item.GetDescriptor();
  const std::string own = absl::StrCat(path, "[", ScalarText(item, type.field(0), 0), "]");
  const size_t before = facts.size();
  for (int i = 1; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    AddField(item, field, type.field_count() == 2 ? own : absl::StrCat(own, ".", field->name()), facts);
  }
  // That it exists is a fact too: a node without CPUs.
  if (facts.size() == before) facts[own].insert("");
}

void AddField(const Message& message, const FieldDescriptor* field, const std::string& path, FactMap& facts) {
  const Reflection& from = *message.GetReflection();
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (field->is_repeated()) {
    const int count = from.FieldSize(message, field);
    for (int i = 0; is_message && i < count; ++i) {
      AddNamed(from.GetRepeatedMessage(message, field, i), path, facts);
    }
    if (!is_message && count > 0) facts[path].insert(ListText(message, field));
    return;
  }
  if (field->has_presence() && !from.HasField(message, field)) return;
  if (is_message) {
    const Message& part = from.GetMessage(message, field);
    for (int i = 0; i < part.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* own = part.GetDescriptor()->field(i);
      AddField(part, own, absl::StrCat(path, ".", own->name()), facts);
    }
    return;
  }
  std::string text = ScalarText(message, field, 0);
  if (text.empty() && !field->has_presence()) return;
  facts[path].insert(std::move(text));
}

// "devices[NAME]" of those that are in the fingerprint.
std::set<std::string> LastingDevices(const v1::HostFacts& facts) {
  std::set<std::string> lasting;
  for (const v1::HostDevice& device : facts.devices()) {
    if (device.has_hardware()) lasting.insert(absl::StrCat("devices[", device.name(), "]"));
  }
  for (const v1::HostAddress& address : facts.addresses()) {
    if (!address.link_local()) lasting.insert(absl::StrCat("devices[", address.device(), "]"));
  }
  return lasting;
}

bool IsInFingerprint(const std::string& path, const std::set<std::string>& lasting_devices) {
  for (const char* fleeting : {"boot_id", "sysctls[net.ipv4.tcp_mem]", "sysctls[net.ipv4.udp_mem]",
                               "sysctls[net.ipv4.tcp_available_congestion_control]"}) {
    if (path == fleeting) return false;
  }
  if (absl::StartsWith(path, "addresses[")) return false;
  if (!absl::StartsWith(path, "devices[")) return true;
  if (absl::EndsWith(path, "].interrupt_affinities")) return false;
  for (const std::string& device : lasting_devices) {
    if (absl::StartsWith(path, device)) return true;
  }
  return false;
}

}  // namespace

std::vector<Fact> ListFacts(const v1::HostFacts& facts) {
  FactMap known;
  const Descriptor& type = *v1::HostFacts::descriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->number() == v1::HostFacts::kMissingFieldNumber ||
        field->number() == v1::HostFacts::kFingerprintFieldNumber) {
      continue;
    }
    AddField(facts, field, field->name(), known);
  }
  const std::set<std::string> lasting_devices = LastingDevices(facts);
  std::vector<Fact> list;
  for (const auto& [path, values] : known) {
    list.push_back({path, absl::StrJoin(values, ", "), IsInFingerprint(path, lasting_devices)});
  }
  return list;
}

}  // namespace tutti
