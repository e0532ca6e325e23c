#include "coordinator/fleet/drain_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fake_drain_journal.h"

namespace tutti::fleet {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using tutti::v1::DrainMark;

DrainMark Mark(const std::string& reason, int64_t since_unix_ns = 1) {
  DrainMark mark;
  mark.set_reason(reason);
  mark.set_since_unix_ns(since_unix_ns);
  return mark;
}

TEST(DrainMarksTest, AnotherReasonReplacesTheFirstAndKeepsItsTime) {
  DrainMarks marks(nullptr, {});
  EXPECT_TRUE(marks.Put("a", Mark("new kernel", 100)));
  EXPECT_FALSE(marks.Put("a", Mark("new kernel", 200)));
  EXPECT_TRUE(marks.Put("a", Mark("new disk", 300)));
  ASSERT_NE(marks.Find("a"), nullptr);
  EXPECT_EQ(marks.Find("a")->reason(), "new disk");
  EXPECT_EQ(marks.Find("a")->since_unix_ns(), 100);
  EXPECT_TRUE(marks.Remove("a"));
  EXPECT_FALSE(marks.Remove("a"));
  EXPECT_EQ(marks.Find("a"), nullptr);
}

TEST(DrainMarksTest, WhoAskedIsToldWhenItIsKeptAndNotBefore) {
  FakeDrainJournal journal;
  DrainMarks marks(&journal, {});
  std::optional<absl::Status> told;
  marks.Put("a", Mark("new kernel"));
  marks.Keep("a", [&](const absl::Status& status) { told = status; });
  EXPECT_FALSE(told.has_value());
  journal.Write();
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->ok());
  marks.Remove("a");
  marks.Keep("a", [](const absl::Status&) {});
  EXPECT_THAT(journal.calls, ElementsAre("put a: new kernel", "remove a"));
}

TEST(DrainMarksTest, ADiskThatIsFullIsToldWithWhatHoldsAllTheSame) {
  FakeDrainJournal journal;
  DrainMarks marks(&journal, {});
  std::string told;
  const auto tell = [&](const absl::Status& status) { told = std::string(status.message()); };
  marks.Put("a", Mark("new kernel"));
  marks.Keep("a", tell);
  journal.Write(absl::ResourceExhaustedError("disk full"));
  EXPECT_THAT(told, AllOf(HasSubstr("worker \"a\" is drained, but only until this coordinator ends"),
                          HasSubstr("disk full")));
  EXPECT_NE(marks.Find("a"), nullptr);
  marks.Remove("a");
  marks.Keep("a", tell);
  journal.Write(absl::ResourceExhaustedError("disk full"));
  EXPECT_THAT(told, HasSubstr("worker \"a\" is not drained, but only until this coordinator ends"));
}

TEST(DrainMarksTest, TextsThatDoNotBelongOnATerminalAreRefused) {
  tutti::v1::DrainWorkerRequest request;
  request.set_reason(std::string(1024, 'x'));
  request.set_user("Jos\xc3\xa9");
  EXPECT_TRUE(CheckDrain(request).ok());
  request.set_reason(std::string(1025, 'x'));
  EXPECT_EQ(CheckDrain(request).code(), absl::StatusCode::kInvalidArgument);
  request.set_reason("two\nlines");
  EXPECT_THAT(std::string(CheckDrain(request).message()),
              HasSubstr("the drain's reason has control characters"));
  request.set_reason("");
  request.set_user("\x1b[2J");
  EXPECT_THAT(std::string(CheckDrain(request).message()),
              HasSubstr("the drain's user has control characters"));
}

TEST(DrainMarksTest, TheTextLeavesOutWhatIsNotKnown) {
  DrainMark mark;
  EXPECT_EQ(DrainText(mark), "drained");
  mark.set_reason("new kernel");
  EXPECT_EQ(DrainText(mark), "drained: new kernel");
  mark.set_user("alice");
  EXPECT_EQ(DrainText(mark), "drained by alice: new kernel");
}

}  // namespace
}  // namespace tutti::fleet
