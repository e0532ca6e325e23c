// A run whose coordinator ended before it did. Pure; thread-safe.
#pragma once

#include <cstdint>

#include "tutti/v1/result.pb.h"

namespace tutti::run {

// `result`: the head and the trials that were kept, as a journal gives them back. Summarizes the cases that
// have trials, lists the others as not run, judges the run and says what happened.
void CloseInterrupted(tutti::v1::Result& result, int64_t now_unix_ns);

}  // namespace tutti::run
