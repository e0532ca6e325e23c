// A target provokes every warning there is, thousands of times a second.
#pragma once

#include <google/protobuf/stubs/logging.h>

#include "common/log/log.h"

namespace tutti::fuzz {

// Nobody logs from now on: neither the product nor protobuf.
inline void BeQuiet() {
  static const bool quiet = [] {
    spdlog::set_level(spdlog::level::off);
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  static_cast<void>(quiet);
}

}  // namespace tutti::fuzz
