#include "coordinator/cli/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// With an environment that points into its folder.
class ResultFilesTest : public ::testing::Test {
 protected:
  ResultFilesTest() { setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1); }
  ~ResultFilesTest() override { unsetenv("XDG_STATE_HOME"); }
  size_t FilesIn(const fs::path& folder) {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  const TemporaryFolder folder_;
};

TEST_F(ResultFilesTest, ResultsLieUnderTheStateHome) {
  EXPECT_EQ(*ResultDirectory(), (folder_ / "state/tutti/results").string());
}

TEST_F(ResultFilesTest, ARelativeStateHomeIsIgnored) {
  setenv("XDG_STATE_HOME", "state", 1);
  const std::string home = getenv("HOME") != nullptr ? getenv("HOME") : "";
  setenv("HOME", "/home/alice", 1);
  EXPECT_EQ(*ResultDirectory(), "/home/alice/.local/state/tutti/results");
  setenv("HOME", home.c_str(), 1);
}

TEST_F(ResultFilesTest, WritesTheWholeFileAndLeavesNothingBesideIt) {
  ASSERT_TRUE(WriteWhole((folder_ / "r.json").string(), "one").ok());
  ASSERT_TRUE(WriteWhole((folder_ / "r.json").string(), "two").ok());
  EXPECT_EQ(Read(folder_ / "r.json"), "two");
  EXPECT_EQ(FilesIn(folder_.path()), 1u);
}

TEST_F(ResultFilesTest, AFailedWriteLeavesTheOldFile) {
  fs::create_directory(folder_ / "target");  // a folder cannot be replaced by a file
  // The name of the file that was written first is nobody's business.
  EXPECT_EQ(std::string(WriteWhole((folder_ / "target").string(), "new").message()),
            "replace " + fs::canonical(folder_ / "target").string() + ": Is a directory (EISDIR)");
  EXPECT_TRUE(fs::is_directory(folder_ / "target"));
  EXPECT_EQ(FilesIn(folder_.path()), 1u);
}

TEST_F(ResultFilesTest, FollowsASymbolicLinkInsteadOfReplacingIt) {
  std::ofstream(folder_ / "real.json") << "old";
  fs::create_symlink("real.json", folder_ / "link.json");
  ASSERT_TRUE(WriteWhole((folder_ / "link.json").string(), "new").ok());
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.json"));
  EXPECT_EQ(Read(folder_ / "real.json"), "new");
}

TEST_F(ResultFilesTest, WritesIntoWhatIsNotARegularFile) {
  ASSERT_TRUE(WriteWhole("/dev/null", "text").ok());
  struct stat info = {};
  ASSERT_EQ(stat("/dev/null", &info), 0);
  EXPECT_TRUE(S_ISCHR(info.st_mode));
}

TEST_F(ResultFilesTest, TellsBeforeTheRunThatAFileCannotBeWritten) {
  EXPECT_TRUE(CheckWritable((folder_ / "new.json").string(), "--json").ok());
  EXPECT_THAT(std::string(CheckWritable((folder_ / "none/new.json").string(), "--json").message()),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(std::string(CheckWritable(folder_.path().string(), "--json").message()),
              HasSubstr("is a folder"));
}

TEST_F(ResultFilesTest, AResultThatWasLeftIsFoundByItsIdAndByItsFile) {
  tutti::v1::Result result;
  result.set_schema_version(1);
  result.set_run_id("run-7");
  result.set_status(tutti::v1::RUN_STATUS_LIMIT_FAILED);
  result.set_exit_code(4);
  const absl::StatusOr<std::string> path = LeaveResult(result);
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_EQ(*path, (folder_ / "state/tutti/results/run-7.json").string());
  const absl::StatusOr<tutti::v1::Result> by_id = ReadResult("run-7");
  ASSERT_TRUE(by_id.ok()) << by_id.status();
  EXPECT_EQ(by_id->exit_code(), 4);
  EXPECT_TRUE(ReadResult(*path).ok());
}

TEST_F(ResultFilesTest, AnUnknownIdSaysWhereWasLooked) {
  const absl::Status status = ReadResult("run-8").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr((folder_ / "state/tutti/results").string()));
}

TEST_F(ResultFilesTest, AnIdNeverLeavesTheFolder) {
  tutti::v1::Result result;
  result.set_run_id("../escape");
  EXPECT_FALSE(LeaveResult(result).ok());
  fs::create_directories(folder_ / "state/tutti/results");
  std::ofstream(folder_ / "state/tutti/secret.json") << "{}";
  EXPECT_EQ(ReadResult("../secret").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ResultFilesTest, ADocumentWithoutRunOrStatusIsNoResult) {
  const auto why_not = [this](const std::string& json) {
    std::ofstream(folder_ / "x.json") << json;
    const absl::Status status = ReadResult((folder_ / "x.json").string()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
    EXPECT_THAT(std::string(status.message()), HasSubstr("x.json: not a result of tutti: "));
    return std::string(status.message());
  };
  EXPECT_THAT(why_not("{\"schema_version\": 1}"), HasSubstr("it has no run_id and no status"));
  EXPECT_THAT(why_not("{\"schema_version\": 1, \"run_id\": \"run-7\"}"), HasSubstr("it has no status"));
  EXPECT_THAT(why_not("{\"schema_version\": 1, \"status\": \"passed\"}"), HasSubstr("it has no run_id"));
  why_not("{}");
  why_not("[]");
  why_not("7");
  why_not("");
}

TEST_F(ResultFilesTest, AFullDiskIsAnError) {
  const absl::Status status = WriteWhole("/dev/full", "text");
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("write /dev/full: No space left on device (ENOSPC)"));
}

TEST_F(ResultFilesTest, AFileThatIsNoResultIsNamed) {
  std::ofstream(folder_ / "x.json") << "not json";
  EXPECT_THAT(std::string(ReadResult((folder_ / "x.json").string()).status().message()), HasSubstr("x.json"));
}

}  // namespace
}  // namespace tutti::cli
