// Plans made at random from the language's own words, and plans with bytes changed: whatever the text, the
// loader comes back, and a plan that it accepts can be placed or is refused with a reason.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "coordinator/plan/language.h"
#include "coordinator/plan/placement.h"
#include "tests/unit/coordinator/plan/plan_texts.h"

namespace tutti::plan {
namespace {

class RandomPlan {
 public:
  explicit RandomPlan(uint32_t seed) : random_(seed) {}

  size_t Below(size_t n) { return random_() % n; }

  std::string Value(const ValueSpec& spec, int depth) {
    static const std::vector<std::string> kScalars = {
        "1",         "2",     "0",      "-1",  "1KiB",     "1472B",       "default",
        "10s",       "100ms", "5Mbps",  "99%", "true",     "false",       "any",
        "a",         "b",     "udp",    "tcp", "ring",     "pairs",       "\"${x}\"",
        "\"${y}\"",  "all",   "numa:0", "[0]", "[0, 2-3]", "10.0.0.0/24", "eth0",
        "5201-5300", "~",     "[]",     "{}",  "\"\"",     "[a]",         "18446744073709551616",
        "1e9",       "!x y",  "&q a",   "*q"};
    if (depth > 4 || Below(12) == 0) return kScalars[Below(kScalars.size())];
    switch (spec.kind) {
      case ValueKind::kMap:
        return Table(*spec.table, depth + 1);
      case ValueKind::kList: {
        std::string text;
        for (size_t i = 0; i <= Below(3); ++i)
          text += (text.empty() ? "" : ", ") + Value(*spec.item, depth + 1);
        return "[" + text + "]";
      }
      case ValueKind::kNamedMap:
        return "{a: " + Value(*spec.item, depth + 1) + ", b: " + Value(*spec.item, depth + 1) + "}";
      case ValueKind::kAxes:
        return "{x: [1, " + kScalars[Below(kScalars.size())] + "], y: [a, " +
               kScalars[Below(kScalars.size())] + "]}";
      case ValueKind::kWord:
        return spec.words[Below(spec.words.size())];
      case ValueKind::kInteger:
        return std::to_string(spec.min + Below(3));
      case ValueKind::kThreshold:
        if (Below(2) == 0) return Table(*spec.table, depth + 1);
        [[fallthrough]];
      case ValueKind::kExpected:
        return Below(2) == 0 ? "loss < 1%" : "\"jain >= ${x}\"";
      case ValueKind::kScope:
        return Below(2) == 0 ? "stream" : "\"role:a\"";
      case ValueKind::kName:
        return Below(2) == 0 ? "a" : "b";
      default:
        return kScalars[Below(kScalars.size())];
    }
  }

  std::string Table(const KeyTable& table, int depth) {
    std::string text;
    for (const KeySpec& key : table.keys) {
      if (!key.required && Below(4) != 0) continue;
      if (Below(30) == 0) continue;
      text += (text.empty() ? "" : ", ") + key.name + ": " + Value(key.value, depth);
    }
    return "{" + text + "}";
  }

  std::string Mutated(std::string text) {
    for (size_t i = 0; i <= Below(6); ++i) {
      const size_t at = Below(text.size());
      switch (Below(4)) {
        case 0:
          text[at] = static_cast<char>(random_());
          break;
        case 1:
          text.erase(at, 1 + Below(8));
          break;
        case 2:
          text.insert(at, std::string(1 + Below(3), "[]{},:&*!|>'\"%@`#-? \n\t$"[Below(24)]));
          break;
        case 3:
          text.insert(at, text.substr(Below(text.size()), Below(40)));
          break;
      }
      if (text.empty()) text = "a";
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

void LoadAndPlace(const std::string& text, const std::vector<std::string>& overrides, int* accepted) {
  static const std::vector<Candidate> kFleet = {Worker("h1", 1), Worker("h2", 2), Worker("a", 3)};
  const LoadedPlan loaded = LoadPlan(text, "p.yaml", overrides);
  for (const PlanError& error : loaded.errors) ASSERT_FALSE(error.message.empty());
  if (!loaded.errors.empty()) {
    ASSERT_EQ(loaded.plan.cases_size(), 0);
    return;
  }
  ++*accepted;
  ASSERT_GT(loaded.plan.cases_size(), 0);
  ASSERT_GT(ExpectedDurationNs(loaded.plan), 0);
  auto placement = Place(loaded.plan, kFleet);
  if (!placement.ok()) {
    ASSERT_FALSE(placement.status().message().empty());
    return;
  }
  for (int i = 0; i < loaded.plan.cases_size(); ++i) {
    auto flows = ExpandFlows(loaded.plan.cases(i), placement->cases[i], kFleet);
    ASSERT_TRUE(!flows.ok() || !flows->empty());
  }
}

TEST(RandomPlans, NeverBreakTheLoader) {
  int accepted = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    RandomPlan random(seed);
    SCOPED_TRACE(seed);
    LoadAndPlace(random.Table(PlanKeys(), 0), {}, &accepted);
    if (HasFatalFailure()) return;
  }
}

TEST(RandomPlans, ChangedBytesNeverBreakTheLoader) {
  const std::string good = MinimalPlan(
      "    streams: ${n}\n    socket_buffer: {send: \"${b}\", receive: 1MiB}\n    cpus: {sender: [0, 2-3]}\n",
      "matrix:\n  n: [1, 2]\n  b: [default, 1MiB]\ntiming: {measure: 1s}\nlimits: {overlap: 99%}\n");
  int accepted = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    RandomPlan random(seed);
    SCOPED_TRACE(seed);
    LoadAndPlace(random.Mutated(good), {}, &accepted);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(accepted, 10);  // else only the reader was tried
}

TEST(RandomPlans, RandomOverridesNeverBreakTheLoader) {
  int accepted = 0;
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    RandomPlan random(seed);
    SCOPED_TRACE(seed);
    LoadAndPlace(MinimalPlan(),
                 {random.Mutated("traffic[0].cpus.sender=[1, 2]"), random.Mutated("timing.measure=2s")},
                 &accepted);
    if (HasFatalFailure()) return;
  }
}

TEST(RandomPlans, GarbageIsRefused) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    std::string text(random() % 400, ' ');
    for (char& c : text) c = static_cast<char>(random());
    ASSERT_FALSE(LoadPlan(text, "p.yaml", {}).errors.empty());
  }
}

}  // namespace
}  // namespace tutti::plan
