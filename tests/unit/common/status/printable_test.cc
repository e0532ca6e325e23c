#include "common/status/printable.h"

#include <gtest/gtest.h>

namespace tutti {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "plain", "\"quoted\" \\ and 50%", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"}) {
    EXPECT_EQ(Printable(text), text);
  }
  EXPECT_EQ(Printable("\xC2\xA0"), "\xC2\xA0");  // the first behind C1
}

TEST(Printable, WritesMarksOutThatTurnTheDirectionOfWriting) {
  EXPECT_EQ(Printable("a\u202eb\u2066c\u2069"), "a\\u202Eb\\u2066c\\u2069");
  EXPECT_EQ(Printable("\u200e\u200f\u061c"), "\\u200E\\u200F\\u061C");
  EXPECT_EQ(Printable("\u200d\u2010\u2027\u202f\u2065"), "\u200d\u2010\u2027\u202f\u2065");  // beside them
}

TEST(Printable, WritesMarksOutThatEndALine) {
  EXPECT_EQ(Printable("a\u2028b\u2029"), "a\\u2028b\\u2029");
  EXPECT_EQ(PrintableLines("a\u2028\nb"), "a\\u2028\nb");
}

TEST(Printable, WritesControlCharactersOut) {
  EXPECT_EQ(Printable("a\x1b[2Jb"), "a\\x1B[2Jb");
  EXPECT_EQ(Printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\x7f"), "\\x7F");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "31m"),
            "\\x9B31m");
  EXPECT_EQ(Printable("\xC2\x80\xC2\x9F"), "\\x80\\x9F");
}

TEST(Printable, WritesBytesOutThatAreNoText) {
  EXPECT_EQ(Printable("a\xFF"
                      "b\xE2\x82"),
            "a\\xFFb\\xE2\\x82");
  EXPECT_EQ(Printable("\x9b"), "\\x9B");  // what a terminal in Latin-1 would obey
  EXPECT_EQ(Printable("\xC0\x9B"), "\\xC0\\x9B");
}

TEST(Printable, NothingThatItPrintsIsAControlCharacter) {
  std::string all;
  for (int first = 0; first < 256; ++first) {
    for (int second : {0x00, 0x1B, 0x41, 0x80, 0x9B, 0xA0, 0xFF}) {
      all += static_cast<char>(first);
      all += static_cast<char>(second);
    }
  }
  EXPECT_FALSE(FindControlCharacter(Printable(all)).has_value());
}

TEST(PrintableLines, KeepsLineBreaksOnly) { EXPECT_EQ(PrintableLines("a\n\x1b\tb\n"), "a\n\\x1B\\tb\n"); }

TEST(ValidUtf8, ReplacesOnlyTheBytesThatAreNoText) {
  EXPECT_EQ(ValidUtf8("a\n\x1b\xC3\xA9"), "a\n\x1b\xC3\xA9");
  EXPECT_EQ(ValidUtf8("a\xFF"
                      "b\xE2\x82"),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ValidUtf8(std::string("\0\xFE", 2)), std::string("\0\xEF\xBF\xBD", 4));
  EXPECT_EQ(ValidUtf8(""), "");
}

TEST(FindControlCharacter, SaysWhichAndWhere) {
  EXPECT_FALSE(FindControlCharacter("plain \xC3\xA9").has_value());
  EXPECT_EQ(FindControlCharacter("ab\x1b")->offset, 2u);
  EXPECT_EQ(FindControlCharacter("ab\x1b")->code, 0x1Bu);
  EXPECT_EQ(FindControlCharacter("\xC2\x85")->code, 0x85u);
  EXPECT_EQ(FindControlCharacter("a\nb\x7f", 2)->code, 0x7Fu);
  EXPECT_FALSE(FindControlCharacter("a\n", 2).has_value());
}

TEST(Utf8CharacterLength, KnowsWellFormedCharacters) {
  EXPECT_EQ(Utf8CharacterLength(""), 0u);
  EXPECT_EQ(Utf8CharacterLength("a"), 1u);
  EXPECT_EQ(Utf8CharacterLength("\xF0\x9F\x98\x80x"), 4u);
  EXPECT_EQ(Utf8CharacterLength("\xED\xA0\x80"), 0u);  // surrogate
  EXPECT_EQ(Utf8CharacterLength("\xE2\x82"), 0u);      // cut short
}

}  // namespace
}  // namespace tutti
