#include "common/config/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/unit/temporary_folder.h"

namespace tutti {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A client with a command that takes settings and one whose flag of the same name is something else. The
// user's file is the test's own; a machine that is configured in /etc/tutti would be seen too, so each
// setting that is looked at is in it.
class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    fs::create_directories(folder_ / "tutti");
    setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    CLI::App* run = app_.add_subcommand("run", "");
    CLI::Option* coordinator = run->add_option("--coordinator", coordinator_, "Where");
    run->add_option("--lab", lab_, "")->excludes(coordinator);
    run->add_flag("--detail", detail_, "");
    run->add_option("--output", output_, "")->check([](const std::string& text) {
      return text == "json" ? std::string("json is not for this one") : std::string();
    });
    CLI::App* plan = app_.add_subcommand("plan", "");
    plan->add_option("--coordinator", asked_, "")->configurable(false);
    DefineConfiguration(app_, Program::kTutti);
  }
  ~CommandLineTest() override {
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("TUTTI_COORDINATOR");
  }

  void WriteFile(const std::string& text) { std::ofstream(folder_ / "tutti/config.yaml") << text; }
  absl::Status Parse(const std::string& line) {
    app_.parse(line);
    return Configure(app_, Program::kTutti, configuration_);
  }

  const TemporaryFolder folder_;
  CLI::App app_{"", "tool"};
  std::string coordinator_, lab_, output_, asked_;
  bool detail_ = false;
  Configuration configuration_;
};

TEST_F(CommandLineTest, AFlagThatIsNotWrittenTakesWhatIsConfigured) {
  WriteFile("coordinator: file:1\ndetail: true\noutput: yaml\n");
  ASSERT_TRUE(Parse("run").ok());
  EXPECT_EQ(coordinator_, "file:1");
  EXPECT_TRUE(detail_);
  EXPECT_EQ(output_, "yaml");
  EXPECT_EQ(configuration_.values.at("coordinator").origin,
            (folder_ / "tutti/config.yaml").string() + ":1:14");
}

TEST_F(CommandLineTest, TheVariableWinsOverTheFileAndTheFlagOverBoth) {
  WriteFile("coordinator: file:1\ndetail: true\noutput: table\n");
  setenv("TUTTI_COORDINATOR", "variable:1", 1);
  ASSERT_TRUE(Parse("run").ok());
  EXPECT_EQ(coordinator_, "variable:1");
  ASSERT_TRUE(Parse("run --coordinator flag:1 --detail=false").ok());
  EXPECT_EQ(coordinator_, "flag:1");
  EXPECT_FALSE(detail_);
  EXPECT_EQ(configuration_.values.at("coordinator").origin, "--coordinator");
  EXPECT_EQ(configuration_.values.at("detail").layer, Layer::kFlag);
}

TEST_F(CommandLineTest, AFlagThatExcludesASettingWinsOverItsConfiguration) {
  WriteFile("coordinator: file:1\noutput: table\n");
  ASSERT_TRUE(Parse("run --lab mine").ok());
  EXPECT_EQ(coordinator_, "");
  EXPECT_EQ(lab_, "mine");
}

TEST_F(CommandLineTest, WithoutConfigurationTheBuiltInValuesHold) {
  WriteFile("coordinator: file:1\nno: such key\n");
  setenv("TUTTI_COORDINATOR", "variable:1", 1);
  ASSERT_TRUE(Parse("--no-config run").ok());
  EXPECT_EQ(coordinator_, "127.0.0.1:7117");
  EXPECT_EQ(output_, "table");
}

TEST_F(CommandLineTest, NoConfigMayStandBehindTheCommandToo) {
  WriteFile("coordinator: file:1\noutput: table\n");
  ASSERT_TRUE(Parse("run --detail --no-config").ok());
  EXPECT_EQ(coordinator_, "127.0.0.1:7117");
  EXPECT_TRUE(detail_);
  EXPECT_THAT(app_.get_subcommand("plan")->help(), HasSubstr("--no-config"));
}

TEST_F(CommandLineTest, AFlagOfASettingsNameThatIsNoneIsLeftAlone) {
  WriteFile("coordinator: file:1\n");
  ASSERT_TRUE(Parse("plan").ok());
  EXPECT_EQ(asked_, "");
}

TEST_F(CommandLineTest, WhatTheFlagsOwnCheckRefusesIsToldWithItsPlaceBesideAllOtherErrors) {
  WriteFile("output: json\ncoordinatr: a\n");
  const absl::Status status = Parse("run");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  const std::string message(status.message());
  EXPECT_THAT(message, HasSubstr("the configuration has 2 errors:\n"));
  EXPECT_THAT(message, HasSubstr("config.yaml:2:1: coordinatr: there is no such setting"));
  EXPECT_THAT(message, HasSubstr("config.yaml:1:9: --output: json is not for this one"));
}

TEST_F(CommandLineTest, HelpNamesTheVariableAndTheBuiltInValue) {
  const std::string help = app_.get_subcommand("run")->help();
  EXPECT_THAT(help, HasSubstr("Where [TUTTI_COORDINATOR]"));
  EXPECT_THAT(help, HasSubstr("127.0.0.1:7117"));
  EXPECT_THAT(app_.get_subcommand("plan")->help(), ::testing::Not(HasSubstr("[TUTTI_")));
}

}  // namespace
}  // namespace tutti
