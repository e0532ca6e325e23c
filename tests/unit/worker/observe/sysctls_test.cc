#include "worker/observe/sysctls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/unit/worker/observe/kernel_tree.h"
#include "tests/unit/worker/observe/missing_reason.h"

namespace tutti::observe {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

std::map<std::string, std::string> ByName(const v1::HostFacts& facts) {
  std::map<std::string, std::string> values;
  for (const v1::NamedValue& each : facts.sysctls()) values[each.name()] = each.value();
  return values;
}

TEST(SysctlsTest, HaveTheNamesThatOneSetsThemBy) {
  KernelTree tree;
  tree.Write("proc/sys/net/core/rmem_max", "212992\n");
  tree.Write("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
  tree.Write("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n");
  v1::HostFacts facts;
  FillSysctls({tree.path("proc"), tree.path("sys")}, &facts);
  EXPECT_THAT(ByName(facts), UnorderedElementsAre(Pair("net.core.rmem_max", "212992"),
                                                  Pair("net.ipv4.tcp_rmem", "4096 131072 6291456"),
                                                  Pair("net.ipv4.tcp_congestion_control", "cubic")));
  EXPECT_THAT(MissingReason(facts, "sysctls[net.core.netdev_budget]"),
              AllOf(HasSubstr("/sys/net/core/netdev_budget"), HasSubstr("ENOENT")));
  EXPECT_EQ(MissingReason(facts, "sysctls[net.core.rmem_max]"), "");
}

TEST(SysctlsTest, EachOfTheTableIsEitherReadOrMissing) {
  KernelTree nothing;
  v1::HostFacts none;
  FillSysctls({nothing.path("proc"), nothing.path("sys")}, &none);
  EXPECT_EQ(none.sysctls_size(), 0);
  v1::HostFacts facts;
  FillSysctls({}, &facts);
  EXPECT_EQ(facts.sysctls_size() + facts.missing_size(), none.missing_size());
  // Of every network namespace of every kernel that tutti runs on.
  EXPECT_EQ(ByName(facts).count("net.ipv4.tcp_rmem"), 1u);
}

}  // namespace
}  // namespace tutti::observe
