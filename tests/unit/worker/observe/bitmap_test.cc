#include "worker/observe/bitmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tutti::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(BitmapTest, HasTheNumbersOfTheBitsThatAreSet) {
  EXPECT_THAT(*ParseBitmap("0"), IsEmpty());
  EXPECT_THAT(*ParseBitmap("f"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(*ParseBitmap("80000001"), ElementsAre(0, 31));
  EXPECT_THAT(*ParseBitmap("A5"), ElementsAre(0, 2, 5, 7));
}

TEST(BitmapTest, TheHighestGroupComesFirst) {
  EXPECT_THAT(*ParseBitmap("00000000,00000000"), IsEmpty());
  EXPECT_THAT(*ParseBitmap("1,00000001"), ElementsAre(0, 32));
  EXPECT_THAT(*ParseBitmap("3,00000000,40000000"), ElementsAre(30, 64, 65));
}

TEST(BitmapTest, RefusesWhatIsNone) {
  for (const char* text :
       {"", "g", "0x1", "-1", " 1", "1 ", "1,", ",00000001", "1,1", "123456789", "1,,00000001"}) {
    EXPECT_FALSE(ParseBitmap(text).ok()) << text;
  }
  EXPECT_THAT(std::string(ParseBitmap("0-3").status().message()), HasSubstr("\"0-3\""));
}

}  // namespace
}  // namespace tutti::observe
