#include "coordinator/cli/facts_document.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::cli {
namespace {

void AddHost(tutti::v1::Result& result, const std::string& name, const std::string& kernel) {
  tutti::v1::Host& host = *result.add_hosts();
  host.set_name(name);
  host.set_machine("m1");
  host.mutable_facts()->set_kernel_release(kernel);
}

TEST(FactsDocumentTest, HasEveryHostWithItsFacts) {
  tutti::v1::Result result;
  AddHost(result, "host1", "6.1.0");
  const report::Document document = FactsDocument(result);
  ASSERT_EQ(document.items.size(), 1u);
  ASSERT_EQ(document.items[0].items.size(), 1u);
  const report::Document& host = document.items[0].items[0];
  ASSERT_EQ(host.keys.size(), 3u);
  EXPECT_EQ(host.items[0].text, "host1");
  EXPECT_EQ(host.keys[2], "facts");
  EXPECT_NE(report::DocumentJson(host.items[2]).find("\"kernel_release\": \"6.1.0\""), std::string::npos);
}

TEST(FactDifferencesDocumentTest, ListsWhatDiffersAndHostsOfOneResultOnly) {
  tutti::v1::Result first;
  first.set_run_id("run-1");
  AddHost(first, "host1", "6.1.0");
  AddHost(first, "host2", "6.1.0");
  tutti::v1::Result second;
  second.set_run_id("run-2");
  AddHost(second, "host1", "6.2.0");
  AddHost(second, "host3", "6.1.0");
  EXPECT_EQ(report::DocumentYaml(FactDifferencesDocument(first, second)),
            "first: run-1\n"
            "second: run-2\n"
            "hosts:\n"
            "  - name: host1\n"
            "    in_first: true\n"
            "    in_second: true\n"
            "    differences:\n"
            "      - path: kernel_release\n"
            "        first: \"6.1.0\"\n"
            "        second: \"6.2.0\"\n"
            "        first_reason: \"\"\n"
            "        second_reason: \"\"\n"
            "        in_fingerprint: true\n"
            "  - name: host2\n"
            "    in_first: true\n"
            "    in_second: false\n"
            "    differences: null\n"
            "  - name: host3\n"
            "    in_first: false\n"
            "    in_second: true\n"
            "    differences: null\n");
}

}  // namespace
}  // namespace tutti::cli
