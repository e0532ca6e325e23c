// What a damaged file of the store may hold in place of a trial.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/store/column_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/quiet.h"
#include "tests/unit/coordinator/store/random_message.h"
#include "tutti/v1/result.pb.h"

namespace {

using tutti::fuzz::Require;

// Small: a thousand inputs a second is what finds things.
constexpr tutti::store::DecodeLimits kLimits{.messages = 1 << 13, .elements = 1 << 15};

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  std::vector<std::string> seeds;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    v1::TrialResult trial;
    store::RandomMessages(seed).Fill(trial, seed % 2 == 0 ? 1 : 2);
    seeds.push_back(store::EncodeColumns(trial));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fuzz::BeQuiet();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tutti::v1::TrialResult trial;
  if (!tutti::store::DecodeColumns(bytes, trial, kLimits).ok()) return 0;
  const std::string once = tutti::store::EncodeColumns(trial);
  tutti::v1::TrialResult again;
  Require(tutti::store::DecodeColumns(once, again).ok(), "what we write we can read");
  Require(tutti::store::EncodeColumns(again) == once, "what was read comes back as it was written");
  return 0;
}
