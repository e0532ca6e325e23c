#include "coordinator/report/host_facts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tutti::report {
namespace {

namespace v1 = tutti::v1;

void AddSysctl(v1::HostFacts& facts, const std::string& name, const std::string& value) {
  v1::NamedValue& added = *facts.add_sysctls();
  added.set_name(name);
  added.set_value(value);
}

void AddMissing(v1::HostFacts& facts, const std::string& fact, const std::string& reason) {
  v1::MissingFact& added = *facts.add_missing();
  added.set_fact(fact);
  added.set_reason(reason);
}

v1::HostFacts Facts() {
  v1::HostFacts facts;
  facts.set_kernel_release("6.1.0-18-amd64");
  facts.set_boot_id("boot-1");
  facts.set_fingerprint("0123456789abcdef");
  for (const uint32_t cpu : {0u, 1u, 2u, 3u}) facts.add_online_cpus(cpu);
  facts.set_rmem_max_bytes(212992);
  facts.set_wmem_max_bytes(212992);
  facts.set_may_force_buffers(true);
  facts.set_max_open_files(1024);
  AddSysctl(facts, "net.core.rmem_max", "212992");
  AddSysctl(facts, "net.ipv4.tcp_rmem", "4096 131072 6291456");
  v1::HostDevice& eth0 = *facts.add_devices();
  eth0.set_name("eth0");
  eth0.set_mtu_bytes(1500);
  eth0.set_has_hardware(true);
  eth0.set_driver("ixgbe");
  v1::DeviceOffload& offload = *eth0.add_offloads();
  offload.set_name("rx-gro");
  offload.set_enabled(true);
  AddMissing(facts, "turbo", "no such file");
  AddMissing(facts, "devices[eth0].firmware", "the driver tells none");
  return facts;
}

v1::Result ResultOf(const std::string& run_id, const std::string& host, const v1::HostFacts& facts) {
  v1::Result result;
  result.set_run_id(run_id);
  v1::Host& added = *result.add_hosts();
  added.set_name(host);
  added.set_machine("m1");
  *added.mutable_facts() = facts;
  return result;
}

TEST(RenderFactsTest, GroupsWhatIsKnownAndSaysWhyTheRestIsNot) {
  EXPECT_EQ(RenderFacts(ResultOf("run-1", "a", Facts())),
            "a  machine m1  fingerprint 0123456789abcdef\n"
            "  boot_id            boot-1\n"
            "  kernel_release     6.1.0-18-amd64\n"
            "  max_open_files     1024\n"
            "  may_force_buffers  true\n"
            "  online_cpus        0-3\n"
            "  rmem_max_bytes     212992\n"
            "  wmem_max_bytes     212992\n"
            "  devices[eth0]\n"
            "    driver            ixgbe\n"
            "    has_hardware      true\n"
            "    mtu_bytes         1500\n"
            "    offloads[rx-gro]  true\n"
            "  sysctls\n"
            "    net.core.rmem_max  212992\n"
            "    net.ipv4.tcp_rmem  4096 131072 6291456\n"
            "  not known\n"
            "    turbo                   no such file\n"
            "    devices[eth0].firmware  the driver tells none\n");
}

TEST(RenderFactsTest, AResultWithoutHostsSaysSo) {
  EXPECT_EQ(RenderFacts({}), "the result names no host\n");
  EXPECT_EQ(RenderFactDifferences({}, {}), "neither result names a host\n");
}

TEST(RenderFactDifferencesTest, ShowsBothValuesOfEachFactThatDiffers) {
  v1::HostFacts other = Facts();
  other.set_fingerprint("fedcba9876543210");
  other.set_boot_id("boot-2");
  other.set_kernel_release("6.1.0-20-amd64");
  other.set_turbo(true);
  EXPECT_EQ(RenderFactDifferences(ResultOf("run-1", "a", Facts()), ResultOf("run-2", "a", other)),
            "a: 2 facts differ, fingerprints 0123456789abcdef and fedcba9876543210\n"
            "  kernel_release\n"
            "    run-1: 6.1.0-18-amd64\n"
            "    run-2: 6.1.0-20-amd64\n"
            "  turbo\n"
            "    run-1: - (no such file)\n"
            "    run-2: true\n"
            "  not in the fingerprint:\n"
            "  boot_id\n"
            "    run-1: boot-1\n"
            "    run-2: boot-2\n");
}

TEST(RenderFactDifferencesTest, AHostThatWasOnlyRebootedIsTheSame) {
  v1::HostFacts other = Facts();
  other.set_boot_id("boot-2");
  EXPECT_EQ(RenderFactDifferences(ResultOf("run-1", "a", Facts()), ResultOf("run-1", "a", other)),
            "a: the same, fingerprint 0123456789abcdef\n"
            "  not in the fingerprint:\n"
            "  boot_id\n"
            "    first: boot-1\n"
            "    second: boot-2\n");
}

TEST(RenderFactDifferencesTest, HostsOfOneRunAreNamed) {
  EXPECT_EQ(RenderFactDifferences(ResultOf("run-1", "a", Facts()), ResultOf("run-2", "b", Facts())),
            "a: only in run-1\n"
            "b: only in run-2\n");
}

}  // namespace
}  // namespace tutti::report
