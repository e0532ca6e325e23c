// Which fields of a resolved case each key of the plan language decides: what decode_case.cc does, as a
// table. A field that is added to plan.proto is to be added here too; a test walks the descriptors. Pure;
// immutable.
#pragma once

#include <string>
#include <vector>

namespace tutti::plan {

struct KeyFields {
  std::string key;                  // below the map that fills the message: "socket_buffer.send"
  std::vector<std::string> fields;  // of the message: "send_buffer_bytes"; the first has the key's value
};

// Of tutti.v1.Role, TrafficEntry, Timing, Limits and Threshold, and of Case itself.
const std::vector<KeyFields>& RoleFields();
const std::vector<KeyFields>& EntryFields();
const std::vector<KeyFields>& TimingFields();
const std::vector<KeyFields>& LimitFields();
const std::vector<KeyFields>& ThresholdFields();
const std::vector<KeyFields>& CaseFields();

// Empty where the key decides none: a plan's version.
std::vector<std::string> FieldsOf(const std::vector<KeyFields>& keys, const std::string& key);

}  // namespace tutti::plan
