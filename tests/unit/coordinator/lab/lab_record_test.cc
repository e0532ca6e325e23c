#include "coordinator/lab/lab_record.h"

#include <gtest/gtest.h>

namespace tutti::lab {
namespace {

LabRecord Sample() {
  LabRecord record;
  record.name = "one";
  record.kind = "loopback addresses, because unshare: not permitted";
  record.coordinator_address = "unix:/proc/7/root/run/user/0/tutti/7/coordinator.sock";
  record.log_dir = "/var/log/a b";
  record.supervisor_pid = 7;
  record.supervisor_start_ticks = 1234567890123;
  record.coordinator_pid = 8;
  record.started_unix_ns = 1'700'000'000'000'000'000;
  record.hosts = {{"host1", "10.77.0.11", "", 9, 0},
                  {"host2", "10.77.0.12", "fd00::c", 10, 345'602'469'135'782}};
  return record;
}

TEST(LabRecordFile, ComesBackAsItWasWritten) {
  const auto read = ParseRecord(FormatRecord(Sample()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->name, "one");
  EXPECT_EQ(read->kind, "loopback addresses, because unshare: not permitted");
  EXPECT_EQ(read->coordinator_address, "unix:/proc/7/root/run/user/0/tutti/7/coordinator.sock");
  EXPECT_EQ(read->log_dir, "/var/log/a b");
  EXPECT_EQ(read->supervisor_pid, 7);
  EXPECT_EQ(read->supervisor_start_ticks, 1234567890123);
  EXPECT_EQ(read->coordinator_pid, 8);
  EXPECT_EQ(read->started_unix_ns, 1'700'000'000'000'000'000);
  ASSERT_EQ(read->hosts.size(), 2u);
  EXPECT_EQ(read->hosts[0].address6, "");
  EXPECT_EQ(read->hosts[1].address6, "fd00::c");
  EXPECT_EQ(read->hosts[1].pid, 10);
  EXPECT_EQ(read->hosts[1].clock_offset_ns, 345'602'469'135'782);
}

TEST(LabRecordFile, NoBeginningOfARecordIsARecord) {
  const std::string text = FormatRecord(Sample());
  for (size_t length = 0; length < text.size(); ++length) {
    const std::string part = text.substr(0, length);
    // Cut between two hosts it is whole in itself; records are written with one call, under a lock.
    if (!part.empty() && part.back() == '\n' && part.find("\nhost ") != std::string::npos) continue;
    EXPECT_FALSE(ParseRecord(part).ok()) << part;
  }
}

TEST(LabRecordFile, RefusesWhatItDoesNotKnow) {
  const std::string text = FormatRecord(Sample());
  EXPECT_FALSE(ParseRecord(text + "color blue\n").ok());
  EXPECT_FALSE(ParseRecord(text + "host host3 10.77.0.13 - x 0\n").ok());
  EXPECT_FALSE(ParseRecord(text + "host host3 10.77.0.13 -\n").ok());
  EXPECT_FALSE(ParseRecord("tutti-lab 2" + text.substr(11)).ok());
}

TEST(LabName, HoldsNothingThatLeavesTheFolder) {
  for (const char* good : {"default", "a", "A-b_c.9"}) EXPECT_TRUE(CheckLabName(good).ok()) << good;
  for (const std::string& bad : {std::string(""), std::string("."), std::string(".."), std::string("a/b"),
                                 std::string("a b"), std::string("a\nb"), std::string("-x"),
                                 std::string("a\u202eb"), std::string("\xc3\xa4"), std::string(65, 'x')}) {
    EXPECT_FALSE(CheckLabName(bad).ok()) << bad;
  }
  // What a terminal would act on is written out in the error.
  EXPECT_NE(CheckLabName("a\n\u202eb").message().find("'a\\n\\u202Eb'"), absl::string_view::npos);
}

}  // namespace
}  // namespace tutti::lab
