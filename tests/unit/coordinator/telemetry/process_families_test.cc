#include "coordinator/telemetry/process_families.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

namespace tutti::telemetry {
namespace {

constexpr int64_t kStartedUnixNs = 1'796'000'000'500'000'000;

const prometheus::MetricFamily& Find(const Families& families, const std::string& name) {
  for (const prometheus::MetricFamily& each : families) {
    if (each.name == name) return each;
  }
  static const prometheus::MetricFamily none{};
  ADD_FAILURE() << "no family " << name;
  return none;
}

// Of a family with one sample.
double Value(const std::string& name) {
  const Families families = ProcessFamilies(kStartedUnixNs);
  const prometheus::MetricFamily& family = Find(families, name);
  EXPECT_EQ(family.metric.size(), 1u) << name;
  if (family.metric.empty()) return -1;
  return family.type == prometheus::MetricType::Counter ? family.metric[0].counter.value
                                                        : family.metric[0].gauge.value;
}

TEST(ProcessFamiliesTest, TheStartIsInSeconds) {
  EXPECT_DOUBLE_EQ(Value("process_start_time_seconds"), 1'796'000'000.5);
}

TEST(ProcessFamiliesTest, AFileThatIsOpenedCounts) {
  const double before = Value("process_open_fds");
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(Value("process_open_fds"), before + 1);
  close(fd);
  EXPECT_EQ(Value("process_open_fds"), before);
  EXPECT_GE(Value("process_max_fds"), before);
}

TEST(ProcessFamiliesTest, MemoryIsVirtualOnceMappedAndResidentOnceWritten) {
  constexpr size_t kBytes = 64 * 1024 * 1024;
  // The kernel sums what its CPUs have counted, so that a reading may lag behind by some pages.
  constexpr double kAlmost = 60.0 * 1024 * 1024;
  const double virtual_before = Value("process_virtual_memory_bytes");
  const double resident_before = Value("process_resident_memory_bytes");
  void* const mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_GE(Value("process_virtual_memory_bytes") - virtual_before, kAlmost);
  memset(mapped, 1, kBytes);
  EXPECT_GE(Value("process_resident_memory_bytes") - resident_before, kAlmost);
  munmap(mapped, kBytes);
}

TEST(ProcessFamiliesTest, CpuTimeGrowsWithWork) {
  const double before = Value("process_cpu_seconds_total");
  EXPECT_GT(before, 0);
  volatile uint64_t sum = 0;
  for (uint64_t i = 0; i < 10'000'000; ++i) sum = sum + i;
  EXPECT_GT(Value("process_cpu_seconds_total"), before);
}

class StateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tutti-telemetry-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    unlink((folder_ + "/a").c_str());
    unlink((folder_ + "/b").c_str());
    rmdir((folder_ + "/inside").c_str());
    rmdir(folder_.c_str());
  }
  std::string folder_;
};

TEST_F(StateFolderTest, ItsFilesAreAddedUp) {
  std::ofstream(folder_ + "/a") << "123";
  std::ofstream(folder_ + "/b") << "12345";
  ASSERT_EQ(mkdir((folder_ + "/inside").c_str(), 0700), 0);
  const Families families = StateFolderFamilies(folder_);
  ASSERT_EQ(Find(families, "tutti_state_dir_bytes").metric.size(), 1u);
  EXPECT_EQ(families[0].metric[0].gauge.value, 8);
}

TEST_F(StateFolderTest, WhatIsNotKnownIsNot0) {
  EXPECT_TRUE(Find(StateFolderFamilies(""), "tutti_state_dir_bytes").metric.empty());
  EXPECT_TRUE(Find(StateFolderFamilies(folder_ + "/none"), "tutti_state_dir_bytes").metric.empty());
}

}  // namespace
}  // namespace tutti::telemetry
