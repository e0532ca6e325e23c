#include "common/facts/fingerprint.h"

#include <cstdint>

#include "absl/strings/str_format.h"
#include "common/facts/fact_list.h"

namespace tutti {
namespace {

// Offset basis and prime of draft-eastlake-fnv for 64 bits.
constexpr uint64_t kOffsetBasis = 0xcbf29ce484222325;
constexpr uint64_t kPrime = 0x100000001b3;

// With the zero byte behind it, so that no two lists of texts make one and the same sequence of bytes.
uint64_t Add(uint64_t hash, const std::string& text) {
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  return hash * kPrime;
}

}  // namespace

std::string FingerprintOf(const v1::HostFacts& facts) {
  uint64_t hash = kOffsetBasis;
  for (const Fact& fact : ListFacts(facts)) {
    if (fact.in_fingerprint) hash = Add(Add(hash, fact.path), fact.value);
  }
  return absl::StrFormat("%016x", hash);
}

}  // namespace tutti
