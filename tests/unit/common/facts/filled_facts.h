// Facts of a host in which every field that there is has a value, found by reflection.
#pragma once

#include <google/protobuf/message.h>

#include <functional>
#include <string>

#include "tutti/v1/host.pb.h"

namespace tutti {

// Two of each thing of which there can be several, no two values alike, every bool true.
v1::HostFacts FilledFacts();

// Changes each value below `message` in turn, calls `check` with its path, and puts it back.
void ForEachChange(google::protobuf::Message& message, const std::string& path,
                   const std::function<void(const std::string& path)>& check);

}  // namespace tutti
