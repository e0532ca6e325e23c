#include "coordinator/results/fairness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/coordinator/results/raw_trial.h"

namespace tutti::results {
namespace {

// Streams from a to b of which the i-th sends a message of 1000 B each every_ns[i].
RawTrial TrialOf(const std::vector<int64_t>& every_ns) {
  RawTrial trial;
  trial.AddHost("a", "m1");
  trial.AddHost("b", "m2");
  for (const int64_t each_ns : every_ns) {
    RawTrial::Fill(trial.AddStream("a", "b"), 0, 5 * kSecond / 2, each_ns, 0);
  }
  return trial;
}

const tutti::v1::EntryResult& EntryOf(const tutti::v1::TrialResult& result) { return OnlyEntry(result); }

TEST(Fairness, IsOneWhereAllGotTheSame) {
  const tutti::v1::TrialResult result = TrialOf({kMs, kMs, kMs}).Merge();
  EXPECT_DOUBLE_EQ(EntryOf(result).jain_index(), 1);
  EXPECT_DOUBLE_EQ(EntryOf(result).slowest_bps(), 8e6);
  EXPECT_DOUBLE_EQ(EntryOf(result).fastest_bps(), 8e6);
}

// Rates of 8, 8, 4 and 2 Mbps: 22^2 / (4 x 148).
TEST(Fairness, NamesTheStreamThatGotLeast) {
  const tutti::v1::TrialResult result = TrialOf({kMs, kMs, 2 * kMs, 4 * kMs}).Merge();
  EXPECT_NEAR(EntryOf(result).jain_index(), 484.0 / 592, 1e-9);
  EXPECT_DOUBLE_EQ(EntryOf(result).slowest_bps(), 2e6);
  EXPECT_EQ(EntryOf(result).slowest_stream(), 3u);
  EXPECT_DOUBLE_EQ(EntryOf(result).fastest_bps(), 8e6);
}

TEST(Fairness, IsNotKnownOfOneStreamOrWhereAHostDidNotReport) {
  EXPECT_FALSE(EntryOf(TrialOf({kMs}).Merge()).has_jain_index());
  RawTrial lost = TrialOf({kMs, kMs});
  for (RawHost& host : lost.hosts) {
    if (host.name == "b") host.edges = 1;
  }
  EXPECT_FALSE(EntryOf(lost.Merge()).has_jain_index());
}

}  // namespace
}  // namespace tutti::results
