// The bodies of the HTTP API, and results that somebody shows.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coordinator/report/report.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/quiet.h"
#include "tests/unit/coordinator/store/random_message.h"
#include "tutti/v1/service.pb.h"
#include "tutti/v1/store.pb.h"

namespace {

using tutti::fuzz::Require;

template <typename M>
void ReadAs(std::string_view json) {
  M message;
  if (!tutti::report::ParseMessageJson(json, message).ok()) return;
  const std::string once = tutti::report::RenderMessageJson(message);
  M again;
  Require(tutti::report::ParseMessageJson(once, again).ok(), "what we write we can read");
  Require(tutti::report::RenderMessageJson(again) == once, "what was read comes back as it was written");
}

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  std::vector<std::string> seeds;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    v1::Result result;
    store::RandomMessages(seed).Fill(result, 1);
    result.set_schema_version(1);
    seeds.push_back(report::RenderJson(result));
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tutti::fuzz::BeQuiet();
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  ReadAs<tutti::v1::SubmitRequest>(json);
  ReadAs<tutti::v1::ValidatePlanRequest>(json);
  ReadAs<tutti::v1::DryRunRequest>(json);
  ReadAs<tutti::v1::ListRunsRequest>(json);
  ReadAs<tutti::v1::DrainWorkerRequest>(json);
  ReadAs<tutti::v1::RunEvent>(json);
  ReadAs<tutti::v1::WorkerInfo>(json);
  if (tutti::report::ParseJson(json).ok()) ReadAs<tutti::v1::Result>(json);
  return 0;
}
