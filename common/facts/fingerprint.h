// One short text for a host's facts: two hosts that are the same in all facts that last have the same.
#pragma once

#include <string>

#include "tutti/v1/host.pb.h"

namespace tutti {

// 16 hexadecimal digits: FNV-1a, 64 bits (docs/decisions/0017), over path, a zero byte, value, a zero byte
// of each fact of ListFacts that is in the fingerprint, in the order of their paths. The same for the same
// facts on every machine and build. It tells hosts that differ by accident; where it decides something,
// compare the facts. Pure.
std::string FingerprintOf(const v1::HostFacts& facts);

}  // namespace tutti
