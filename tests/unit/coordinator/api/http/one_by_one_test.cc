#include "coordinator/api/http/one_by_one.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tutti::http {
namespace {

using testing::ElementsAre;

TEST(OneByOneTest, TheNextBeginsWhenTheOneBeforeHasEnded) {
  OneByOne queue;
  std::vector<int> begun;
  for (int i = 1; i <= 3; ++i) queue.Add([&begun, i] { begun.push_back(i); });
  EXPECT_THAT(begun, ElementsAre(1));
  queue.Next();
  EXPECT_THAT(begun, ElementsAre(1, 2));
  queue.Next();
  queue.Next();
  EXPECT_THAT(begun, ElementsAre(1, 2, 3));
  queue.Add([&begun] { begun.push_back(4); });
  EXPECT_THAT(begun, ElementsAre(1, 2, 3, 4));
}

TEST(OneByOneTest, ThousandsThatEndWithinTheirOwnCallTakeNoStack) {
  OneByOne queue;
  int begun = 0;
  queue.Add([] {});
  for (int i = 0; i < 200'000; ++i) {
    queue.Add([&] {
      ++begun;
      queue.Next();
    });
  }
  EXPECT_EQ(begun, 0);
  queue.Next();
  EXPECT_EQ(begun, 200'000);
}

TEST(OneByOneTest, WhatIsAddedByOneThatEndsBeginsBehindIt) {
  OneByOne queue;
  std::vector<int> begun;
  queue.Add([&] {
    queue.Next();
    queue.Add([&begun] { begun.push_back(2); });
    begun.push_back(1);
  });
  EXPECT_THAT(begun, ElementsAre(1, 2));
}

}  // namespace
}  // namespace tutti::http
