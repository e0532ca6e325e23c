#include "coordinator/cli/configuration_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/setting.h"

namespace tutti::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Configuration SampleConfiguration() {
  return LayerSettings(
      {.files = {{"/etc/tutti/lab.yaml", "coordinator: 10.0.0.1\nlabel: [rack=a, row=2]\ninsecure: true\n"}},
       .environment = {{"TUTTI_LEASE", "5s"}}});
}

TEST(RenderConfigurationTest, ShowsEverySettingAndWhereItComesFromIfAsked) {
  const std::string text = RenderConfiguration(SampleConfiguration(), true);
  EXPECT_THAT(text, ContainsRegex("^KEY +VALUE +ORIGIN\n"));
  EXPECT_THAT(text, ContainsRegex("\ncoordinator +10.0.0.1 +/etc/tutti/lab.yaml:1:14\n"));
  EXPECT_THAT(text, ContainsRegex("\nlabel +rack=a, row=2 +/etc/tutti/lab.yaml:2:8\n"));
  EXPECT_THAT(text, ContainsRegex("\nlease +5s +TUTTI_LEASE\n"));
  EXPECT_THAT(text, ContainsRegex("\nname +- +built-in\n"));
  for (const std::string& key : SettingKeys()) EXPECT_THAT(text, HasSubstr("\n" + key + " "));
  EXPECT_THAT(RenderConfiguration(SampleConfiguration(), false), Not(HasSubstr("built-in")));
}

TEST(ConfigurationDocumentTest, ValuesHaveTheTypesOfTheirSettings) {
  const std::string json = report::DocumentJson(ConfigurationDocument(SampleConfiguration()));
  EXPECT_THAT(json, HasSubstr("\"files\": [\"/etc/tutti/lab.yaml\"]"));
  EXPECT_THAT(json, HasSubstr("\"key\": \"coordinator\",\n   \"value\": \"10.0.0.1\",\n   \"origin\": "
                              "\"/etc/tutti/lab.yaml:1:14\",\n"
                              "   \"variable\": \"TUTTI_COORDINATOR\",\n   \"flag\": \"--coordinator\",\n"
                              "   \"programs\": [\"tutti\", \"tutti-worker\"],\n"));
  EXPECT_THAT(json, HasSubstr("\"key\": \"insecure\",\n   \"value\": true,\n"));
  EXPECT_THAT(json, HasSubstr("\"key\": \"label\",\n   \"value\": [\"rack=a\", \"row=2\"],\n"));
  EXPECT_THAT(json, HasSubstr("\"key\": \"address\",\n   \"value\": null,\n   \"origin\": \"built-in\",\n"));
}

}  // namespace
}  // namespace tutti::cli
