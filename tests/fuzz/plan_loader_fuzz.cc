// A plan as anybody may submit it. The input is its text, then, each behind a NUL, arguments of --set.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/status/printable.h"
#include "coordinator/plan/language.h"
#include "coordinator/plan/placement.h"
#include "coordinator/plan/plan_loader.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

using tutti::fuzz::Require;

constexpr size_t kMostOverrides = 8;
constexpr int kMostExpandedCases = 2;  // a case may have 100,000 streams

std::vector<tutti::plan::Candidate> Candidates() {
  std::vector<tutti::plan::Candidate> candidates;
  for (int i = 1; i <= 4; ++i) {
    tutti::plan::Candidate& candidate = candidates.emplace_back();
    candidate.name = absl::StrCat("host", i);
    candidate.labels.emplace("rack", i < 3 ? "a" : "b");
    candidate.control_address = absl::StrCat("10.0.0.", i);
    tutti::v1::HostAddress& address = *candidate.facts.add_addresses();
    address.set_address(candidate.control_address);
    address.set_prefix_length(24);
    address.set_device("eth0");
  }
  return candidates;
}

void UsePlan(const tutti::v1::Plan& plan) {
  Require(tutti::plan::ExpectedDurationNs(plan) >= 0, "a plan does not take less than no time");
  const std::vector<tutti::plan::Candidate> candidates = Candidates();
  const auto placement = tutti::plan::Place(plan, candidates);
  if (!placement.ok()) return;
  for (int i = 0; i < plan.cases_size() && i < kMostExpandedCases; ++i) {
    static_cast<void>(
        tutti::plan::ExpandFlows(plan.cases(i), placement->cases[static_cast<size_t>(i)], candidates).ok());
  }
}

}  // namespace

std::vector<std::string> tutti::fuzz::Seeds() {
  const std::string plan =
      "version: 1\nname: x\nroles: {a: {count: 1}, b: {count: 1}}\nmatrix: {streams: [1, 2]}\n"
      "traffic: [{name: t, from: a, to: b, streams: \"${streams}\", protocol: udp, message_size: 1472B}]\n"
      "timing: {warmup: 1s, measure: 1s, interval: 100ms}\n";
  const std::string separator(1, '\0');
  return {plan, absl::StrCat(plan, separator, "timing.measure=2s", separator, "matrix.streams=[4]"),
          absl::StrCat(plan, separator, "traffic[0].protocol=tcp")};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(reinterpret_cast<const char*>(data), size), '\0');
  // No bytes at no address are split into nothing at all.
  if (parts.empty()) parts.emplace_back();
  const std::string text = parts.front();
  parts.erase(parts.begin());
  if (parts.size() > kMostOverrides) parts.resize(kMostOverrides);
  const tutti::plan::LoadedPlan loaded = tutti::plan::LoadPlan(text, "fuzz.yaml", parts);
  for (const tutti::plan::PlanError& error : loaded.errors) {
    Require(!error.message.empty(), "an error says what is wrong");
    Require(!tutti::FindControlCharacter(error.message).has_value(), "an error is one printable line");
  }
  Require(loaded.errors.empty() || loaded.plan.cases().empty(), "a plan with errors has no cases");
  Require(static_cast<uint64_t>(loaded.plan.cases_size()) <= tutti::plan::kMostCases, "cases are bounded");
  if (loaded.errors.empty()) UsePlan(loaded.plan);
  return 0;
}
