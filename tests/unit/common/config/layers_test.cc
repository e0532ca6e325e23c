#include "common/config/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "common/config/setting.h"

namespace tutti {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> ErrorsOf(const std::string& text) {
  return LayerSettings({.files = {{"/etc/tutti/a.yaml", text}}}).errors;
}

// Each layer that speaks says something else.
SettingValue LeaseWith(bool first_file, bool second_file, bool variable, bool flag) {
  Layers layers;
  if (first_file) layers.files.push_back({"/etc/tutti/a.yaml", "lease: 3s\n"});
  if (second_file)
    layers.files.push_back({"/home/u/.config/tutti/config.yaml", "# mine\nname: x\nlease: 4s\n"});
  if (variable) layers.environment["TUTTI_LEASE"] = "5s";
  if (flag) layers.flags["lease"] = {"6s"};
  const Configuration configuration = LayerSettings(layers);
  EXPECT_THAT(configuration.errors, IsEmpty());
  return configuration.values.at("lease");
}

TEST(LayerSettings, EachLayerWinsOverAllBelowIt) {
  struct Expected {
    const char* text;
    Layer layer;
    const char* origin;
  };
  const Expected built_in = {"2s", Layer::kBuiltIn, "built-in"};
  const Expected first_file = {"3s", Layer::kFile, "/etc/tutti/a.yaml:1:8"};
  const Expected second_file = {"4s", Layer::kFile, "/home/u/.config/tutti/config.yaml:3:8"};
  const Expected variable = {"5s", Layer::kEnvironment, "TUTTI_LEASE"};
  const Expected flag = {"6s", Layer::kFlag, "--lease"};
  for (int said = 0; said < 16; ++said) {
    const bool of_first = (said & 1) != 0;
    const bool of_second = (said & 2) != 0;
    const bool of_variable = (said & 4) != 0;
    const bool of_flag = (said & 8) != 0;
    const Expected& expected = of_flag       ? flag
                               : of_variable ? variable
                               : of_second   ? second_file
                               : of_first    ? first_file
                                             : built_in;
    const SettingValue value = LeaseWith(of_first, of_second, of_variable, of_flag);
    EXPECT_THAT(value.texts, ElementsAre(expected.text)) << said;
    EXPECT_EQ(value.layer, expected.layer) << said;
    EXPECT_EQ(value.origin, expected.origin) << said;
  }
}

TEST(LayerSettings, EverySettingHasAValueAlsoWithoutAnyLayer) {
  const Configuration configuration = LayerSettings({});
  EXPECT_EQ(configuration.values.size(), SettingTable().size());
  EXPECT_THAT(configuration.values.at("coordinator").texts, ElementsAre("127.0.0.1:7117"));
  EXPECT_THAT(configuration.values.at("name").texts, IsEmpty());
  EXPECT_EQ(configuration.values.at("name").origin, "built-in");
  EXPECT_THAT(configuration.errors, IsEmpty());
  EXPECT_THAT(configuration.warnings, IsEmpty());
}

TEST(LayerSettings, AListIsReplacedAndNotAddedTo) {
  Layers layers;
  layers.files = {{"a.yaml", "label: [rack=a, row=2]\nlisten: unix:/run/a\n"}};
  Configuration configuration = LayerSettings(layers);
  EXPECT_THAT(configuration.values.at("label").texts, ElementsAre("rack=a", "row=2"));
  EXPECT_THAT(configuration.values.at("listen").texts, ElementsAre("unix:/run/a"));
  layers.environment["TUTTI_LABEL"] = "rack=b, row=3";
  configuration = LayerSettings(layers);
  EXPECT_THAT(configuration.values.at("label").texts, ElementsAre("rack=b", "row=3"));
  layers.flags["label"] = {"rack=c"};
  configuration = LayerSettings(layers);
  EXPECT_THAT(configuration.values.at("label").texts, ElementsAre("rack=c"));
}

TEST(LayerSettings, AnEmptyVariableIsNotSet) {
  const Configuration configuration = LayerSettings({.environment = {{"TUTTI_COORDINATOR", ""}}});
  EXPECT_EQ(configuration.values.at("coordinator").layer, Layer::kBuiltIn);
  EXPECT_THAT(configuration.errors, IsEmpty());
}

TEST(LayerSettings, AWrongVariableIsAnErrorAndChangesNothing) {
  const Configuration configuration = LayerSettings(
      {.environment = {{"TUTTI_INSECURE", "1"}, {"TUTTI_LEASE", "5"}, {"TUTTI_LABEL", "a=b,,c=d"}}});
  EXPECT_THAT(configuration.errors,
              ElementsAre("TUTTI_INSECURE: \"1\" is neither true nor false", HasSubstr("TUTTI_LEASE: "),
                          HasSubstr("TUTTI_LABEL: is empty")));
  EXPECT_THAT(configuration.values.at("insecure").texts, ElementsAre("false"));
}

TEST(LayerSettings, OnlyVariablesThatLookMistypedAreWarnedOf) {
  const Configuration configuration =
      LayerSettings({.environment = {{"PATH", "/bin"},
                                     {"TUTTI_COORDINATR", "a"},
                                     {"TUTTI_LOG-LEVEL", "info"},
                                     {"TUTTI_BUILD_ID", "7"},
                                     {"TUTTI_WORKER_ARGS", "--name a"},
                                     {"TUTTI_COORDINATOR_ARGS", "--insecure"}}});
  EXPECT_THAT(configuration.warnings,
              ElementsAre("TUTTI_COORDINATR is no setting and does nothing; did you mean TUTTI_COORDINATOR?",
                          "TUTTI_LOG-LEVEL is no setting and does nothing; did you mean TUTTI_LOG_LEVEL?"));
  EXPECT_THAT(configuration.errors, IsEmpty());
}

TEST(ReadSettings, TellsEveryErrorWithItsPlace) {
  EXPECT_THAT(
      ErrorsOf("coordinater: 10.0.0.1\n"
               "insecure: maybe\n"
               "output: [json]\n"
               "lease:\n"
               "label: [a=b, {c: d}]\n"
               "name: x\n"
               "name: y\n"),
      ElementsAre(
          "/etc/tutti/a.yaml:1:1: coordinater: there is no such setting; did you mean \"coordinator\"?",
          "/etc/tutti/a.yaml:2:11: insecure: \"maybe\" is neither true nor false",
          "/etc/tutti/a.yaml:3:9: output: is a list: write one value",
          "/etc/tutti/a.yaml:4:1: lease: has no value: write one, or remove the key",
          "/etc/tutti/a.yaml:5:14: label: is a map: write texts, as in [a, b]",
          "/etc/tutti/a.yaml:7:1: name: the key occurs twice, first in line 6: remove one"));
}

TEST(ReadSettings, WhatIsNoMapOfSettingsIsRefused) {
  EXPECT_THAT(ErrorsOf("- a\n"), ElementsAre(HasSubstr("not a map of settings")));
  EXPECT_THAT(ErrorsOf("coordinator\n"), ElementsAre(HasSubstr("not a map of settings")));
  EXPECT_THAT(ErrorsOf("a: [\n"), ElementsAre(HasSubstr("not valid YAML")));
  EXPECT_THAT(ErrorsOf("name: a\n---\nname: b\n"), ElementsAre(HasSubstr("a second document")));
  EXPECT_THAT(ErrorsOf("? [a]\n: b\n"), ElementsAre(HasSubstr("a key that is no word")));
  EXPECT_THAT(ErrorsOf("name: !host a\n"), ElementsAre(HasSubstr("has the tag !host")));
  EXPECT_THAT(ErrorsOf("name: \"\"\n"), ElementsAre(HasSubstr("is empty")));
  EXPECT_THAT(ErrorsOf("name: \"a\\x1b[2J\"\n"),
              ElementsAre(HasSubstr("\\x1B[2J\" holds a control character")));
  EXPECT_THAT(ErrorsOf("label: []\n"), ElementsAre(HasSubstr("an empty list")));
  EXPECT_THAT(ErrorsOf(std::string(60'000, '[')), ElementsAre(HasSubstr("not valid YAML")));
}

TEST(ReadSettings, AQuantityIsCheckedWhereItStands) {
  EXPECT_THAT(ErrorsOf("keep_size: lots\nkeep_age: x\nlease: 0s\n"),
              ElementsAre(AllOf(HasSubstr("a.yaml:1:12: keep_size: \"lots\""), HasSubstr("or write none")),
                          AllOf(HasSubstr("a.yaml:2:11: keep_age: \"x\""), HasSubstr("or write none")),
                          "/etc/tutti/a.yaml:3:8: lease: \"0s\" is not within 100ms and 10m"));
  for (const char* text :
       {"lease: 99ms\n", "lease: 601s\n", "lease: none\n", "keep_age: 1GiB\n", "keep_size: 2h\n"})
    EXPECT_EQ(ErrorsOf(text).size(), 1u) << text;
  for (const char* text : {"lease: 100ms\n", "lease: 10m\n", "keep_age: none\n", "keep_age: 2160h\n",
                           "keep_size: none\n", "keep_size: 64MiB\n"})
    EXPECT_THAT(ErrorsOf(text), IsEmpty()) << text;
}

TEST(ReadSettings, AnAddressAndAFolderAreCheckedWhereTheyStand) {
  EXPECT_THAT(
      ErrorsOf("coordinator: 10.0.0.1:port\n"
               "listen: [127.0.0.1:7117, 127.0.0.1:70000]\n"
               "http: \"unix:\"\n"
               "state_dir: runs\n"
               "address: nowhere\n"
               "label: [rack=a, row]\n"),
      ElementsAre(
          HasSubstr("a.yaml:1:14: coordinator: address \"10.0.0.1:port\": port \"port\" is not a number"),
          HasSubstr("a.yaml:2:26: listen: address \"127.0.0.1:70000\": port 70000 is over 65535"),
          HasSubstr("a.yaml:3:7: http: address \"unix:\": the path of the Unix socket is empty"),
          "/etc/tutti/a.yaml:4:12: state_dir: \"runs\" is no absolute path: write /PATH, or none",
          "/etc/tutti/a.yaml:5:10: address: \"nowhere\" is not a numeric IPv4 or IPv6 address",
          "/etc/tutti/a.yaml:6:17: label: \"row\" is not KEY=VALUE"));
  EXPECT_THAT(
      ErrorsOf("coordinator: \"[fd00::1]:7117\"\nlisten: [10.0.0.1, \"unix:/run/a\"]\nhttp: 127.0.0.1\n"
               "state_dir: none\naddress: fd00::1\nlabel: rack=\n"),
      IsEmpty());
  EXPECT_THAT(ErrorsOf("state_dir: /srv/tutti\n"), IsEmpty());
}

TEST(LayerSettings, AQuantityOfAVariableIsCheckedToo) {
  const Configuration configuration = LayerSettings(
      {.environment = {{"TUTTI_KEEP_AGE", "x"}, {"TUTTI_KEEP_SIZE", "lots"}, {"TUTTI_LEASE", "1h"}}});
  EXPECT_THAT(configuration.errors,
              ElementsAre("TUTTI_LEASE: \"1h\" is not within 100ms and 10m",
                          HasSubstr("TUTTI_KEEP_AGE: \"x\""), HasSubstr("TUTTI_KEEP_SIZE: \"lots\"")));
  EXPECT_THAT(configuration.values.at("keep_size").texts, ElementsAre("10GiB"));
}

TEST(ReadSettings, AFileWithoutValuesIsRight) {
  for (const char* text : {"", "\n", "# nothing yet\n", "---\n", "{}\n"})
    EXPECT_THAT(ErrorsOf(text), IsEmpty()) << text;
}

TEST(ReadSettings, OneWrongFileDoesNotHideTheErrorsOfTheNext) {
  const Configuration configuration =
      LayerSettings({.files = {{"a.yaml", "nam: x\n"}, {"b.yaml", "lease: 5\nname: b\n"}}});
  EXPECT_THAT(configuration.errors,
              ElementsAre(HasSubstr("a.yaml:1:1: nam"), HasSubstr("b.yaml:1:8: lease")));
  EXPECT_THAT(configuration.values.at("name").texts, ElementsAre("b"));
}

// TUTTI_WRITE_GOLDEN=1 writes the page anew.
TEST(ConfigurationPage, IsThePageOfTheDocumentation) {
  const std::string path = std::string(TUTTI_SOURCE_DIR) + "/docs/configuration.md";
  if (std::getenv("TUTTI_WRITE_GOLDEN") != nullptr) std::ofstream(path) << ConfigurationPage();
  std::ifstream file(path);
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), ConfigurationPage());
}

TEST(SettingTable, BuiltInValuesAreRightAndNamesAreDistinct) {
  for (const Setting& setting : SettingTable()) {
    if (setting.default_text[0] != '\0') {
      EXPECT_EQ(CheckSetting(setting, setting.default_text), "") << setting.key;
    }
    EXPECT_FALSE(setting.programs.empty()) << setting.key;
    EXPECT_EQ(FindSetting(setting.key), &setting);
  }
  const Setting& level = *FindSetting("log_level");
  EXPECT_EQ(FlagOf(level), "--log-level");
  EXPECT_EQ(VariableOf(level), "TUTTI_LOG_LEVEL");
  EXPECT_TRUE(IsOf(level, Program::kWorker));
  EXPECT_FALSE(IsOf(level, Program::kTutti));
  EXPECT_EQ(FindSetting("log-level"), nullptr);
}

}  // namespace
}  // namespace tutti
