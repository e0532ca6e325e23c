#include "worker/observe/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"

namespace tutti::observe {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A /proc and a /sys of the test's own, laid out as Linux does.
class InterruptsTest : public ::testing::Test {
 protected:
  InterruptsTest()
      : root_(fs::path(::testing::TempDir()) /
              absl::StrCat("interrupts-", getpid(), "-",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    roots_.proc = (root_ / "proc").string();
    roots_.sys = (root_ / "sys").string();
  }
  ~InterruptsTest() override { fs::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void Link(const std::string& from, const std::string& to) {
    fs::create_directories((root_ / from).parent_path());
    fs::create_directories(root_ / to);
    fs::create_directory_symlink(root_ / to, root_ / from);
  }
  std::string Error(const std::string& bus, const std::string& name) {
    return std::string(InterruptCpusOf(roots_, bus, name).status().message());
  }

  const fs::path root_;
  KernelRoots roots_;
};

TEST_F(InterruptsTest, AreThoseOfEachQueueWhereTheyAreEffective) {
  Link("sys/bus/pci/devices/0000:01:00.0", "sys/devices/pci0000:00/0000:01:00.0");
  for (const int interrupt : {37, 38, 39}) {
    Write(absl::StrCat("sys/devices/pci0000:00/0000:01:00.0/msi_irqs/", interrupt), "msix\n");
    Write(absl::StrCat("proc/irq/", interrupt, "/smp_affinity_list"), "0-63\n");
  }
  Write("proc/irq/37/effective_affinity_list", "9\n");
  Write("proc/irq/38/effective_affinity_list", "2-3\n");
  Write("proc/irq/39/effective_affinity_list", "2\n");
  const auto cpus = InterruptCpusOf(roots_, "pci", "0000:01:00.0");
  ASSERT_TRUE(cpus.ok()) << cpus.status();
  EXPECT_THAT(*cpus, ElementsAre(2, 3, 9));
  const auto affinities = InterruptAffinitiesOf(roots_, "pci", "0000:01:00.0");
  ASSERT_TRUE(affinities.ok()) << affinities.status();
  EXPECT_THAT(*affinities, ElementsAre(ElementsAre(9), ElementsAre(2, 3), ElementsAre(2)));
}

TEST_F(InterruptsTest, OfAVirtioDeviceAreItsParents) {
  Link("sys/bus/virtio/devices/virtio2", "sys/devices/pci0000:00/0000:00:03.0/virtio2");
  Write("sys/devices/pci0000:00/0000:00:03.0/msi_irqs/38", "msix\n");
  Write("proc/irq/38/effective_affinity_list", "1\n");
  EXPECT_THAT(*InterruptCpusOf(roots_, "virtio", "virtio2"), ElementsAre(1));
}

TEST_F(InterruptsTest, OfTheOldKindAndOfKernelsWithoutAnEffectiveListAreReadToo) {
  Link("sys/bus/pci/devices/0000:02:00.0", "sys/devices/pci0000:00/0000:02:00.0");
  Write("sys/devices/pci0000:00/0000:02:00.0/irq", "16\n");
  Write("proc/irq/16/smp_affinity_list", "4,6\n");
  EXPECT_THAT(*InterruptCpusOf(roots_, "pci", "0000:02:00.0"), ElementsAre(4, 6));
}

TEST_F(InterruptsTest, WhatIsNotKnownSaysWhy) {
  EXPECT_THAT(Error("", ""), HasSubstr("no hardware stands behind it"));
  EXPECT_THAT(Error("pci", "0000:09:00.0"), HasSubstr("/bus/pci/devices/0000:09:00.0 lists no interrupts"));
  Link("sys/bus/pci/devices/0000:03:00.0", "sys/devices/pci0000:00/0000:03:00.0");
  Write("sys/devices/pci0000:00/0000:03:00.0/irq", "0\n");
  EXPECT_THAT(Error("pci", "0000:03:00.0"), HasSubstr("lists no interrupts"));
  Write("sys/devices/pci0000:00/0000:03:00.0/msi_irqs/40", "msix\n");
  EXPECT_THAT(Error("pci", "0000:03:00.0"), HasSubstr("/irq/40 shows no CPUs"));
}

}  // namespace
}  // namespace tutti::observe
