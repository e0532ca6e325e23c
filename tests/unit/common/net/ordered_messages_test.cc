#include "common/net/ordered_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

namespace tutti::net {
namespace {

using testing::ElementsAre;

struct Note {
  uint64_t value = 0;
  uint64_t sequence = 0;
  uint64_t received = 0;  // piggybacked
  void set_sequence(uint64_t number) { sequence = number; }
  size_t ByteSizeLong() const { return 10; }
};

constexpr size_t kMany = 1'000'000;

std::vector<uint64_t> Kept(const OrderedMessages<Note>& end) {
  std::vector<uint64_t> numbers;
  for (const auto& each : end.kept()) numbers.push_back(each.message.sequence);
  return numbers;
}

TEST(OrderedMessagesTest, NumbersFromOneAndKeepsUntilItIsAcknowledged) {
  OrderedMessages<Note> end(kMany, kMany);
  Note note;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(end.Number(note));
  EXPECT_EQ(note.sequence, 4u);
  EXPECT_TRUE(end.Acknowledge(2));
  EXPECT_THAT(Kept(end), ElementsAre(3, 4));
  EXPECT_EQ(end.kept_bytes(), 20u);
  EXPECT_TRUE(end.Acknowledge(1));  // an old one that comes late
  EXPECT_THAT(Kept(end), ElementsAre(3, 4));
  EXPECT_FALSE(end.Acknowledge(5));
  EXPECT_TRUE(end.Acknowledge(4));
  EXPECT_TRUE(end.kept().empty());
  EXPECT_EQ(end.kept_bytes(), 0u);
}

TEST(OrderedMessagesTest, GoesOnOnlyAfterWhatIsStillKept) {
  OrderedMessages<Note> end(kMany, kMany);
  EXPECT_TRUE(end.CanGoOnAfter(0));
  EXPECT_FALSE(end.CanGoOnAfter(1));
  Note note;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(end.Number(note));
  end.Acknowledge(2);
  EXPECT_FALSE(end.CanGoOnAfter(1));
  EXPECT_TRUE(end.CanGoOnAfter(2));
  EXPECT_TRUE(end.CanGoOnAfter(4));
  EXPECT_FALSE(end.CanGoOnAfter(5));
  EXPECT_FALSE(end.CanGoOnAfter(UINT64_MAX));
}

TEST(OrderedMessagesTest, TellsNewFromRepeatedFromMissing) {
  OrderedMessages<Note> end(kMany, kMany);
  EXPECT_EQ(end.Accept(1), Arrival::kNew);
  EXPECT_EQ(end.Accept(2), Arrival::kNew);
  EXPECT_EQ(end.Accept(1), Arrival::kRepeated);
  EXPECT_EQ(end.Accept(2), Arrival::kRepeated);
  EXPECT_EQ(end.Accept(4), Arrival::kGap);
  EXPECT_EQ(end.received(), 2u);
}

TEST(OrderedMessagesTest, IsBoundedByMessagesAndBytesAndAFullOneNumbersNothing) {
  OrderedMessages<Note> few(2, kMany);
  OrderedMessages<Note> small(kMany, 15);
  for (OrderedMessages<Note>* end : {&few, &small}) {
    Note note;
    EXPECT_TRUE(end->Number(note));
    EXPECT_TRUE(end->Number(note));  // 10 bytes are below 15
    EXPECT_FALSE(end->Number(note));
    EXPECT_EQ(note.sequence, 2u);
    end->Acknowledge(1);
    EXPECT_TRUE(end->Number(note));
    EXPECT_EQ(note.sequence, 3u);
  }
}

// Two ends and a connection that is cut at random, with all that is on its way.
class Pair {
 public:
  explicit Pair(uint64_t seed) : random_(seed) {}

  void Step() {
    const uint64_t kind = random_() % 100;
    const size_t side = random_() % 2;
    if (kind < 40) return Say(side);
    if (kind < 95) return Deliver(side);
    if (kind < 98) return Cut();
    if (!connected_) Connect();
  }
  void Settle() {
    if (!connected_) Connect();
    for (const size_t side : {0u, 1u}) {
      while (!on_the_way_[side].empty()) Deliver(side);
    }
  }
  // What was said on each side, against what the other one took.
  void Check() const {
    for (const size_t side : {0u, 1u}) {
      std::vector<uint64_t> said(said_[side]);
      std::iota(said.begin(), said.end(), uint64_t{1});
      EXPECT_EQ(taken_[1 - side], said);
    }
  }
  uint64_t repeated() const { return repeated_; }

 private:
  void Say(size_t side) {
    Note note{.value = ++said_[side]};
    ASSERT_TRUE(ends_[side].Number(note));
    if (!connected_) return;
    note.received = ends_[side].received();
    on_the_way_[side].push_back(note);
  }
  // What `side` sent.
  void Deliver(size_t side) {
    if (on_the_way_[side].empty()) return;
    const Note note = on_the_way_[side].front();
    on_the_way_[side].pop_front();
    OrderedMessages<Note>& taker = ends_[1 - side];
    ASSERT_TRUE(taker.Acknowledge(note.received));
    const Arrival arrival = taker.Accept(note.sequence);
    ASSERT_NE(arrival, Arrival::kGap);
    if (arrival == Arrival::kNew) taken_[1 - side].push_back(note.value);
    if (arrival == Arrival::kRepeated) ++repeated_;
  }
  void Cut() {
    connected_ = false;
    for (auto& way : on_the_way_) way.clear();
  }
  void Connect() {
    connected_ = true;
    for (const size_t side : {0u, 1u}) {
      const uint64_t received = ends_[1 - side].received();
      ASSERT_TRUE(ends_[side].CanGoOnAfter(received));
      // One of the ends may not hear what the other has, and repeats it: as well.
      if (random_() % 2 == 0) {
        ASSERT_TRUE(ends_[side].Acknowledge(received));
      }
      for (const auto& kept : ends_[side].kept()) on_the_way_[side].push_back(kept.message);
    }
  }

  std::mt19937_64 random_;
  OrderedMessages<Note> ends_[2] = {{kMany, kMany * 10}, {kMany, kMany * 10}};
  std::deque<Note> on_the_way_[2];
  uint64_t said_[2] = {0, 0};
  std::vector<uint64_t> taken_[2];
  uint64_t repeated_ = 0;
  bool connected_ = true;
};

TEST(OrderedMessagesTest, EachMessageArrivesOnceAndInOrderWhereverTheConnectionIsCut) {
  uint64_t repeated = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Pair pair(seed);
    for (int step = 0; step < 500; ++step) pair.Step();
    pair.Settle();
    pair.Check();
    repeated += pair.repeated();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(repeated, 0u);
}

}  // namespace
}  // namespace tutti::net
