#include "coordinator/cli/lab_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <cstdlib>

namespace tutti::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

lab::LabRecord SampleLab(const std::string& name) {
  lab::LabRecord record;
  record.name = name;
  record.kind = "namespaces";
  record.coordinator_address = "unix:/proc/7/root/s";
  record.supervisor_pid = 7;
  record.started_unix_ns = 1'700'000'000'000'000'000;  // 2023-11-14 22:13:20 UTC
  record.hosts = {{"host1", "10.77.0.11", "", 9, 0}, {"host2", "10.77.0.12", "", 10, 0}};
  return record;
}

TEST(DescribeLabTest, ShowsHostsAndWhatToDo) {
  EXPECT_EQ(DescribeLab(SampleLab("default")),
            "lab default is up (namespaces)\n"
            "  host1  10.77.0.11\n"
            "  host2  10.77.0.12\n"
            "run a plan:  tutti run PLAN --coordinator unix:/proc/7/root/s\n"
            "enter one:   tutti lab exec host1 COMMAND\n"
            "end it:      tutti lab down\n");
}

TEST(DescribeLabTest, ShowsBothAddressesOfHostsThatHaveTwo) {
  lab::LabRecord record = SampleLab("default");
  record.hosts[0].address6 = "fd74:7574:7469::b";
  record.hosts[1].address6 = "fd74:7574:7469::c";
  EXPECT_THAT(DescribeLab(record), HasSubstr("  host1  10.77.0.11  fd74:7574:7469::b\n"
                                             "  host2  10.77.0.12  fd74:7574:7469::c\n"));
}

TEST(DescribeLabTest, CommandsNameALabThatIsNotTheDefault) {
  EXPECT_THAT(DescribeLab(SampleLab("one")), HasSubstr("tutti lab exec --name one host1"));
  EXPECT_THAT(DescribeLab(SampleLab("one")), HasSubstr("tutti lab down --name one\n"));
  EXPECT_THAT(DescribeLab(SampleLab("default")), Not(HasSubstr("--name")));
}

TEST(RenderLabsTest, ShowsEachWithItsHostsPidStartAndCoordinator) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(RenderLabs({SampleLab("default"), SampleLab("other-lab")}),
            "NAME       HOSTS  PID  SINCE                COORDINATOR\n"
            "default    2      7    2023-11-14 22:13:20  unix:/proc/7/root/s\n"
            "other-lab  2      7    2023-11-14 22:13:20  unix:/proc/7/root/s\n");
  unsetenv("TZ");
  tzset();
}

TEST(RenderLabsTest, NoneIsSaidWithHowToStartOne) {
  EXPECT_EQ(RenderLabs({}), "no lab is up; start one: tutti lab up\n");
}

TEST(LabsDocumentTest, HasEachWithItsHosts) {
  lab::LabRecord record = SampleLab("default");
  record.hosts.resize(1);
  record.log_dir = "/tmp/logs";
  record.coordinator_pid = 8;
  EXPECT_EQ(report::DocumentYaml(LabsDocument({record})),
            "labs:\n"
            "  - name: default\n"
            "    kind: namespaces\n"
            "    coordinator_address: \"unix:/proc/7/root/s\"\n"
            "    log_dir: \"/tmp/logs\"\n"
            "    supervisor_pid: 7\n"
            "    coordinator_pid: 8\n"
            "    started_unix_ns: 1700000000000000000\n"
            "    hosts:\n"
            "      - name: host1\n"
            "        address: \"10.77.0.11\"\n"
            "        address6: null\n"
            "        pid: 9\n"
            "        clock_offset_ns: 0\n");
  EXPECT_EQ(report::DocumentJson(LabsDocument({})), "{\n \"labs\": []\n}\n");
}

}  // namespace
}  // namespace tutti::cli
