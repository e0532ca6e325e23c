// A message as cells of one row of a table: every field that is a single value, those of the messages within
// it included, in the order of the schema. Lists and maps are no single value and are left out. Pure;
// thread-safe.
#pragma once

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

namespace tutti::report {

// The names of the fields behind `prefix`, those of messages within as "loss.lost_ratio".
void AppendFieldNames(const google::protobuf::Descriptor& type, const std::string& prefix,
                      std::vector<std::string>& names);

// The values of `message`, which is of `type`: one for each name, to the last digit, enums by their short
// name. Empty where a field or the message around it is not set, and everywhere for nullptr.
void AppendFieldValues(const google::protobuf::Descriptor& type, const google::protobuf::Message* message,
                       std::vector<std::string>& values);

}  // namespace tutti::report
