#include "worker/load/sequence_tracker.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tutti::load {
namespace {

TEST(SequenceTracker, CountsASteadyStreamAsInOrder) {
  SequenceTracker tracker;
  for (uint64_t s = 0; s < 200'000; ++s) ASSERT_EQ(tracker.Observe(s), Arrival::kInOrder) << s;
}

TEST(SequenceTracker, AGapStaysOpenForReorderedArrivals) {
  SequenceTracker tracker;
  EXPECT_EQ(tracker.Observe(0), Arrival::kInOrder);
  EXPECT_EQ(tracker.Observe(3), Arrival::kInOrder);
  EXPECT_EQ(tracker.Observe(1), Arrival::kReordered);
  EXPECT_EQ(tracker.Observe(1), Arrival::kDuplicate);
  EXPECT_EQ(tracker.Observe(3), Arrival::kDuplicate);
  EXPECT_EQ(tracker.Observe(2), Arrival::kReordered);
  EXPECT_EQ(tracker.Observe(0), Arrival::kDuplicate);
}

TEST(SequenceTracker, TheFirstArrivalNeedNotBeSequenceZero) {
  SequenceTracker tracker;
  EXPECT_EQ(tracker.Observe(5), Arrival::kInOrder);
  EXPECT_EQ(tracker.Observe(0), Arrival::kReordered);
  EXPECT_EQ(tracker.Observe(4), Arrival::kReordered);
}

TEST(SequenceTracker, TheWindowIsExactly65536Sequences) {
  SequenceTracker tracker;
  tracker.Observe(65536 + 10);  // the highest seen; 11 is the oldest within the window, 10 is behind it
  EXPECT_EQ(tracker.Observe(10), Arrival::kLate);
  EXPECT_EQ(tracker.Observe(11), Arrival::kReordered);
  EXPECT_EQ(tracker.Observe(11), Arrival::kDuplicate);
  EXPECT_EQ(tracker.Observe(10), Arrival::kLate);
}

TEST(SequenceTracker, AJumpOverTheWholeWindowForgetsWhatWasSeen) {
  SequenceTracker tracker;
  for (uint64_t s = 0; s < 1000; ++s) tracker.Observe(s);
  EXPECT_EQ(tracker.Observe(65536 * 3), Arrival::kInOrder);
  // The same slots of the bitmap as 0..999, three windows later.
  for (uint64_t s = 65536 * 2 + 1; s < 65536 * 2 + 1000; ++s)
    ASSERT_EQ(tracker.Observe(s), Arrival::kReordered);
}

TEST(SequenceTracker, AnAbsurdSequenceIsSurvived) {
  SequenceTracker tracker;
  EXPECT_EQ(tracker.Observe(0), Arrival::kInOrder);
  EXPECT_EQ(tracker.Observe(UINT64_MAX - 1), Arrival::kInOrder);
  EXPECT_EQ(tracker.Observe(1), Arrival::kLate);
}

TEST(SequenceTracker, ARunAboveEverythingSeenIsNotedAtOnceAndAnyOtherNotAtAll) {
  SequenceTracker tracker;
  EXPECT_TRUE(tracker.ObserveRun(60, 10));  // over the end of a word of the bitmap
  EXPECT_FALSE(tracker.ObserveRun(69, 2));  // 70 is new, 69 is not
  EXPECT_EQ(tracker.Observe(59), Arrival::kReordered);
  for (uint64_t s = 60; s < 70; ++s) EXPECT_EQ(tracker.Observe(s), Arrival::kDuplicate) << s;
  EXPECT_EQ(tracker.Observe(70), Arrival::kInOrder);
  EXPECT_TRUE(tracker.ObserveRun(72, 128));
  EXPECT_EQ(tracker.Observe(71), Arrival::kReordered);
  EXPECT_EQ(tracker.Observe(72), Arrival::kDuplicate);
  EXPECT_EQ(tracker.Observe(199), Arrival::kDuplicate);
  EXPECT_EQ(tracker.Observe(200), Arrival::kInOrder);
  EXPECT_FALSE(tracker.ObserveRun(UINT64_MAX - 3, 4));
  EXPECT_FALSE(tracker.ObserveRun(1000, 65537));
}

// Runs as calls give them: some lost, some again, some held back.
TEST(SequenceTracker, RunsComeToTheSameAsTheirDatagramsOneByOne) {
  std::mt19937 random(7);
  SequenceTracker by_runs, one_by_one;
  uint64_t next = 0;
  for (int call = 0; call < 20'000; ++call) {
    const auto count = static_cast<uint32_t>(1 + random() % 200);
    uint64_t first = next;
    if (random() % 4 == 0) first += random() % 3000;
    if (random() % 4 == 0) first -= std::min<uint64_t>(first, random() % 70'000);
    next = std::max(next, first + count);
    const bool at_once = by_runs.ObserveRun(first, count);
    for (uint64_t s = first; s < first + count; ++s) {
      const Arrival arrival = one_by_one.Observe(s);
      ASSERT_EQ(at_once ? Arrival::kInOrder : by_runs.Observe(s), arrival) << call << ' ' << s;
    }
  }
}

// The script: which datagrams the network loses, doubles and holds back. The oracle remembers every sequence
// it saw, without a window, so that it shares nothing with the tracker.
TEST(SequenceTracker, RandomLossDuplicationAndReorderingMatchTheScript) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const uint64_t sent = 1 + random() % 150'000;
    const uint32_t loss = random() % 30, duplication = random() % 20, held = random() % 20;
    // Every third script holds datagrams back for longer than the window.
    const uint64_t hold = seed % 3 == 0 ? 100'000 : 3000;
    std::vector<std::pair<uint64_t, uint64_t>> arrivals;  // (when, sequence)
    for (uint64_t s = 0; s < sent; ++s) {
      if (random() % 100 < loss) continue;
      const auto when = [&] { return 2 * s + (random() % 100 < held ? random() % (2 * hold) : 0); };
      arrivals.emplace_back(when(), s);
      while (random() % 100 < duplication) arrivals.emplace_back(when(), s);
    }
    std::stable_sort(arrivals.begin(), arrivals.end(), [](auto& a, auto& b) { return a.first < b.first; });

    uint64_t want[4] = {}, got[4] = {};
    std::vector<bool> seen(sent);
    uint64_t highest = 0, distinct = 0, late_first = 0;
    bool any = false;
    SequenceTracker tracker;
    for (const auto& [when, s] : arrivals) {
      ++got[static_cast<int>(tracker.Observe(s))];
      Arrival arrival;
      if (!any || s > highest) {
        arrival = Arrival::kInOrder;
        highest = s;
        any = true;
      } else if (highest - s >= 65536) {
        arrival = Arrival::kLate;
        late_first += !seen[s];
      } else {
        arrival = seen[s] ? Arrival::kDuplicate : Arrival::kReordered;
      }
      distinct += !seen[s];
      seen[s] = true;
      ++want[static_cast<int>(arrival)];
    }
    for (int i = 0; i < 4; ++i) EXPECT_EQ(got[i], want[i]) << i;
    EXPECT_EQ(got[0] + got[1] + got[2] + got[3], arrivals.size());
    // Disjoint: with late ones told apart by the script, what remains is what was lost.
    EXPECT_EQ(got[0] + got[1] + late_first, distinct);
    EXPECT_LE(distinct, sent);
  }
}

}  // namespace
}  // namespace tutti::load
