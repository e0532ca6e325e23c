#include "coordinator/metrics/dimension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tutti::metrics {
namespace {

using ::testing::HasSubstr;

std::string Error(Dimension dimension, std::string_view text) {
  const auto value = ParseFigure(dimension, text);
  return value.ok() ? "accepted" : std::string(value.status().message());
}

TEST(ParseFigure, GivesTheUnitOfTheResult) {
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kRate, "9.4Gbps").value(), 9.4e9);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kRatio, "0.1%").value(), 0.001);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kRatio, "0%").value(), 0);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kDuration, "250us").value(), 250'000);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kPerSecond, "1000/s").value(), 1000);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kServiceDemand, "0.6us/KB").value(), 0.6);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kCores, "1.5cores").value(), 1.5);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kIndex, "0.95").value(), 0.95);
  EXPECT_DOUBLE_EQ(ParseFigure(Dimension::kCount, "3").value(), 3);
}

TEST(ParseFigure, RefusesOtherUnitsAndWhatCannotBe) {
  EXPECT_THAT(Error(Dimension::kRate, "9.4"), HasSubstr("has no unit: write 9.4bps or 9.4Mbps"));
  EXPECT_THAT(Error(Dimension::kRate, "9.4GB"), HasSubstr("unit"));
  EXPECT_THAT(Error(Dimension::kRatio, "101%"), HasSubstr("over 100%"));
  EXPECT_THAT(Error(Dimension::kIndex, "1.5"), HasSubstr("is over 1"));
  EXPECT_THAT(Error(Dimension::kCount, "1.5"), HasSubstr("is no count: write 1 or 2"));
  EXPECT_THAT(Error(Dimension::kDuration, "5"), HasSubstr("has no unit"));
}

TEST(ParseFigure, TakesTheExampleOfEachDimensionAndPrintsItAgain) {
  for (const Dimension dimension : Dimensions()) {
    const auto value = ParseFigure(dimension, ExampleOf(dimension));
    ASSERT_TRUE(value.ok()) << ExampleOf(dimension) << ": " << value.status();
    EXPECT_EQ(FigureText(dimension, *value, kLimitDigits), ExampleOf(dimension));
  }
}

TEST(FigureText, HasTheLargestUnitAndNoExponent) {
  EXPECT_EQ(FigureText(Dimension::kRate, 9'396'234'567, kValueDigits), "9.3962Gbps");
  EXPECT_EQ(FigureText(Dimension::kRate, 999, kValueDigits), "999bps");
  EXPECT_EQ(FigureText(Dimension::kRate, 0, kValueDigits), "0bps");
  EXPECT_EQ(FigureText(Dimension::kRatio, 0.00012345678, kValueDigits), "0.012346%");
  EXPECT_EQ(FigureText(Dimension::kRatio, 0, kValueDigits), "0%");
  EXPECT_EQ(FigureText(Dimension::kDuration, 1'500'000, kValueDigits), "1.5ms");
  EXPECT_EQ(FigureText(Dimension::kDuration, 500, kValueDigits), "0.5us");
  EXPECT_EQ(FigureText(Dimension::kPerSecond, 1'234'567, kValueDigits), "1234567/s");
  EXPECT_EQ(FigureText(Dimension::kCores, 1.53, kValueDigits), "1.53cores");
  EXPECT_EQ(FigureText(Dimension::kIndex, 0.99996, kValueDigits), "0.99996");
}

TEST(FigureTextBeside, HasAsManyDigitsAsTellItFromTheLimit) {
  EXPECT_EQ(FigureTextBeside(Dimension::kIndex, 0.99999996, 1), "0.99999996");
  EXPECT_EQ(FigureTextBeside(Dimension::kIndex, 0.94, 1), "0.94");
  EXPECT_EQ(FigureTextBeside(Dimension::kRate, 9'396'234'567, 9e9), "9.3962Gbps");
  EXPECT_EQ(FigureTextBeside(Dimension::kRate, 9'400'000'001, 9.4e9), "9.400000001Gbps");
  EXPECT_EQ(FigureTextBeside(Dimension::kRatio, 0.00100000004, 0.001), "0.100000004%");
  // The unit below: "1000Mbps" would be 1Gbps in other words.
  EXPECT_EQ(FigureTextBeside(Dimension::kRate, 999'999'999.6, 1e9), "999.9999996Mbps");
  EXPECT_EQ(FigureTextBeside(Dimension::kCount, 0, 0), "0");
}

TEST(FigureTextBeside, OneThatIsTheLimitIsWrittenAsTheLimitIs) {
  EXPECT_EQ(FigureTextBeside(Dimension::kRate, 9'396'210'000, 9'396'210'000), "9.39621Gbps");
}

TEST(FigureTextBeside, WhatNoDigitTellsApartIsSaidInWords) {
  EXPECT_EQ(FigureTextBeside(Dimension::kIndex, 1 - 1e-15, 1), "just below 1");
  EXPECT_EQ(FigureTextBeside(Dimension::kRate, 9.4e9 + 0.000002, 9.4e9), "just above 9.4Gbps");
}

}  // namespace
}  // namespace tutti::metrics
