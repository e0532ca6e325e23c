#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/coordinator/store/sqlite/state_folder.h"

namespace tutti::store {
namespace {

using testing::IsEmpty;
using tutti::v1::DrainMark;

class DrainsTest : public StateFolderTest {
 protected:
  static DrainMark Mark(const std::string& reason) {
    DrainMark mark;
    mark.set_reason(reason);
    mark.set_user("alice@lab7");
    mark.set_since_unix_ns(1'790'000'000'123'456'789);
    return mark;
  }
};

TEST_F(DrainsTest, WhatWasAcknowledgedIsThereAfterANewStart) {
  {
    const auto store = Open();
    EXPECT_THAT(*store->Drains(), IsEmpty());
    ASSERT_TRUE(store->PutDrain("host1", Mark("new kernel")).ok());
    ASSERT_TRUE(store->PutDrain("host2", Mark("it's \"odd\"; DROP TABLE drains")).ok());
  }
  const auto store = Open();
  const auto drains = store->Drains();
  ASSERT_TRUE(drains.ok()) << drains.status();
  ASSERT_EQ(drains->size(), 2u);
  EXPECT_EQ(drains->at("host1").reason(), "new kernel");
  EXPECT_EQ(drains->at("host1").user(), "alice@lab7");
  EXPECT_EQ(drains->at("host1").since_unix_ns(), 1'790'000'000'123'456'789);
  EXPECT_EQ(drains->at("host2").reason(), "it's \"odd\"; DROP TABLE drains");
}

TEST_F(DrainsTest, ASecondReasonTakesThePlaceOfTheFirst) {
  const auto store = Open();
  ASSERT_TRUE(store->PutDrain("host1", Mark("new kernel")).ok());
  ASSERT_TRUE(store->PutDrain("host1", Mark("new disk")).ok());
  ASSERT_EQ(store->Drains()->size(), 1u);
  EXPECT_EQ(store->Drains()->at("host1").reason(), "new disk");
}

TEST_F(DrainsTest, RemovingOneThatIsNotThereIsNoError) {
  const auto store = Open();
  ASSERT_TRUE(store->PutDrain("host1", Mark("new kernel")).ok());
  EXPECT_TRUE(store->RemoveDrain("host2").ok());
  EXPECT_TRUE(store->RemoveDrain("host1").ok());
  EXPECT_TRUE(store->RemoveDrain("host1").ok());
  EXPECT_THAT(*store->Drains(), IsEmpty());
}

}  // namespace
}  // namespace tutti::store
