#include "coordinator/cli/printable_message.h"

#include <gtest/gtest.h>

#include "tutti/v1/result.pb.h"

namespace tutti::cli {
namespace {

TEST(MakePrintableTest, WritesControlCharactersOutAtEveryDepth) {
  tutti::v1::Result result;
  result.set_run_id("run\x1b-7");
  result.set_exit_code(4);
  result.mutable_plan()->set_name("a\x1b[2J");
  result.mutable_plan()->set_source("version: 1\nname: n\n");
  result.mutable_plan()->add_overrides("repeat=\x07");
  tutti::v1::Host* host = result.add_hosts();
  host->set_name("h\x7f");
  (*host->mutable_labels())["rack"] =
      "\xC2\x9B"
      "31m";
  MakePrintable(result);
  EXPECT_EQ(result.run_id(), "run\\x1B-7");
  EXPECT_EQ(result.exit_code(), 4);
  EXPECT_EQ(result.plan().name(), "a\\x1B[2J");
  EXPECT_EQ(result.plan().source(), "version: 1\nname: n\n");
  EXPECT_EQ(result.plan().overrides(0), "repeat=\\x07");
  EXPECT_EQ(result.hosts(0).name(), "h\\x7F");
  EXPECT_EQ(result.hosts(0).labels().at("rack"), "\\x9B31m");
}

}  // namespace
}  // namespace tutti::cli
