#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>

#include "coordinator/cli/command.h"
#include "tests/unit/temporary_folder.h"

namespace tutti::cli {
namespace {

// With a coordinator that nobody runs: who asks it ends with 9.
class ResultsExportTest : public ::testing::Test {
 protected:
  int ExportTo(const std::string& path) {
    CLI::App app{"a tool"};
    Chosen chosen;
    AddResultsCommand(app, chosen);
    app.parse("results export run-7 --coordinator unix:" + (folder_ / "s").string() + " --to " + path);
    return chosen();
  }

  const TemporaryFolder folder_;
};

TEST_F(ResultsExportTest, AFileThatCannotBeWrittenIsAWrongOptionBeforeAnythingIsAskedFor) {
  EXPECT_EQ(ExportTo((folder_ / "absent" / "x.json").string()), 2);
  EXPECT_EQ(ExportTo(folder_.path().string()), 2);
}

TEST_F(ResultsExportTest, AFileThatIsThereStaysAsItWasIfNothingCame) {
  std::ofstream(folder_ / "x.json") << "old";
  EXPECT_EQ(ExportTo((folder_ / "x.json").string()), 9);
  std::string held;
  std::ifstream(folder_ / "x.json") >> held;
  EXPECT_EQ(held, "old");
}

}  // namespace
}  // namespace tutti::cli
