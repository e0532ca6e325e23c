// Results and events as a terminal may have them. Pure; thread-safe.
#pragma once

#include <google/protobuf/message.h>

namespace tutti::cli {

// Writes out the control characters in every text of `message`, at every depth; line breaks stay. A result
// quotes what hosts, devices and other people's plans are called.
void MakePrintable(google::protobuf::Message& message);

}  // namespace tutti::cli
