#include "common/config/config_sources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/temporary_folder.h"

namespace tutti {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ConfigSourcesTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  std::vector<std::string> PathsRead(const std::map<std::string, std::string>& environment) {
    std::vector<std::string> paths;
    for (const ConfigFile& file : ReadConfigFiles((folder_ / "etc").string(), environment, errors_)) {
      paths.push_back(fs::relative(file.path, folder_.path()).string());
    }
    return paths;
  }

  const TemporaryFolder folder_;
  std::vector<std::string> errors_;
};

TEST_F(ConfigSourcesTest, TheSystemsFilesComeInTheOrderOfTheirNamesAndTheUsersLast) {
  Write("etc/20-lab.yaml", "name: b\n");
  Write("etc/10-site.yaml", "name: a\n");
  Write("etc/worker.env", "no yaml");
  Write("home/.config/tutti/config.yaml", "name: c\n");
  EXPECT_THAT(PathsRead({{"HOME", (folder_ / "home").string()}}),
              ElementsAre("etc/10-site.yaml", "etc/20-lab.yaml", "home/.config/tutti/config.yaml"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(ConfigSourcesTest, XdgConfigHomeWinsOverHomeUnlessItIsRelative) {
  Write("home/.config/tutti/config.yaml", "name: c\n");
  Write("xdg/tutti/config.yaml", "name: d\n");
  const std::string home = (folder_ / "home").string();
  EXPECT_THAT(PathsRead({{"HOME", home}, {"XDG_CONFIG_HOME", (folder_ / "xdg").string()}}),
              ElementsAre("xdg/tutti/config.yaml"));
  EXPECT_THAT(PathsRead({{"HOME", home}, {"XDG_CONFIG_HOME", "xdg"}}),
              ElementsAre("home/.config/tutti/config.yaml"));
}

TEST_F(ConfigSourcesTest, WhatIsNotThereIsNoError) {
  EXPECT_THAT(PathsRead({}), IsEmpty());
  EXPECT_THAT(PathsRead({{"HOME", (folder_ / "nowhere").string()}}), IsEmpty());
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(ConfigSourcesTest, WhatIsThereAndCannotBeReadIs) {
  fs::create_directories(folder_ / "etc" / "a.yaml");
  Write("etc/b.yaml", std::string(70'000, '#'));
  Write("etc/c.yaml", "name: c\n");
  EXPECT_THAT(PathsRead({}), ElementsAre("etc/c.yaml"));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("a.yaml: Is a directory"), HasSubstr("more than 65536 bytes")));
}

TEST_F(ConfigSourcesTest, ALinkThatLeadsNowhereIsAnErrorForTheSystemAndTheUser) {
  fs::create_directories(folder_ / "etc");
  fs::create_directories(folder_ / "xdg/tutti");
  fs::create_symlink(folder_ / "gone", folder_ / "etc/a.yaml");
  fs::create_symlink(folder_ / "gone", folder_ / "xdg/tutti/config.yaml");
  EXPECT_THAT(PathsRead({{"XDG_CONFIG_HOME", (folder_ / "xdg").string()}}), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("a.yaml: No such file or directory"),
                                   HasSubstr("config.yaml: No such file or directory")));
}

TEST_F(ConfigSourcesTest, APipeIsAnErrorAndIsNotWaitedFor) {
  fs::create_directories(folder_ / "etc");
  fs::create_directories(folder_ / "xdg/tutti");
  ASSERT_EQ(mkfifo((folder_ / "etc/a.yaml").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((folder_ / "xdg/tutti/config.yaml").c_str(), 0600), 0);
  EXPECT_THAT(PathsRead({{"XDG_CONFIG_HOME", (folder_ / "xdg").string()}}), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("a.yaml: is a pipe"), HasSubstr("config.yaml: is a pipe")));
}

}  // namespace
}  // namespace tutti
