#include "coordinator/cli/worker_detail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/coordinator/cli/in_utc.h"

namespace tutti::cli {
namespace {

using WorkerDetailTest = InUtc;

tutti::v1::WorkerInfo Draining() {
  tutti::v1::WorkerInfo worker;
  worker.set_name("host2");
  worker.set_state(tutti::v1::WorkerInfo::STATE_DRAINING);
  worker.set_state_reason("a new kernel");
  worker.set_state_since_unix_ns(kInstant);
  worker.set_run_id("run-7");
  worker.mutable_drain()->set_reason("a new kernel");
  worker.mutable_drain()->set_user("alice@lab7");
  worker.mutable_drain()->set_since_unix_ns(kInstant);
  worker.set_peer("ipv4:10.0.0.2:40112");
  worker.set_control_address("10.0.0.2");
  worker.set_last_heard_unix_ns(kInstant + kSecond);
  (*worker.mutable_labels())["rack"] = "b";
  worker.set_clock_offset_ns(1'500'000'000);
  worker.set_clock_bound_ns(15'000);
  worker.set_clock_source(tutti::v1::CLOCK_SOURCE_KERNEL);
  worker.set_clock_drift_ppm(1.25);
  worker.set_clock_drift_bound_ppm(0.5);
  worker.set_clock_round_trip_ns(40'000);
  return worker;
}

void AddHost(tutti::v1::HostFacts& facts) {
  facts.set_kernel_release("6.18.44");
  facts.set_cpu_model("AMD EPYC");
  for (uint32_t cpu = 0; cpu < 4; ++cpu) facts.add_online_cpus(cpu);
  facts.add_allowed_cpus(0);
  tutti::v1::NumaNode& node = *facts.add_numa_nodes();
  node.set_id(1);
  node.add_cpus(2);
  node.add_cpus(3);
  facts.add_devices()->set_name("lo");
  tutti::v1::HostDevice& device = *facts.add_devices();
  device.set_name("eth0");
  device.set_mtu_bytes(9000);
  device.set_speed_bps(100'000'000'000);
  device.set_has_hardware(true);
  device.set_driver("ice");
  device.mutable_channels()->set_combined(8);
  device.add_local_cpus(0);
  device.add_local_cpus(1);
  for (const char* each : {"10.0.0.2", "fe80::1"}) {
    tutti::v1::HostAddress& address = *facts.add_addresses();
    address.set_address(each);
    address.set_prefix_length(24);
    address.set_device("eth0");
  }
  facts.mutable_addresses(1)->set_link_local(true);
  facts.set_tutti_version("0.1.0");
}

TEST_F(WorkerDetailTest, EverythingThatIsKnownHasALine) {
  tutti::v1::WorkerInfo worker = Draining();
  AddHost(*worker.mutable_facts());
  EXPECT_EQ(RenderWorker(worker),
            "worker           host2\n"
            "state            draining\n"
            "reason           a new kernel\n"
            "since            2026-11-30 14:05:00\n"
            "run              run-7\n"
            "draining         since 2026-11-30 14:05:00 by alice@lab7: a new kernel\n"
            "session from     ipv4:10.0.0.2:40112\n"
            "control address  10.0.0.2\n"
            "last heard       2026-11-30 14:05:01\n"
            "labels           rack=b\n"
            "clock            +1.500000000 s to within 15us, udp, kernel stamps\n"
            "clock drift      +1.250 +-0.500 ppm\n"
            "round trip       40us\n"
            "kernel           6.18.44\n"
            "CPU model        AMD EPYC\n"
            "CPUs             4 online (0-3), 1 for tutti\n"
            "NUMA node 1      CPUs 2-3\n"
            "device eth0      10.0.0.2/24, 100.0 Gbps, MTU 9000, ice, 8 queues, CPUs 0-1\n"
            "tutti            0.1.0\n");
}

TEST_F(WorkerDetailTest, WhatIsNotKnownHasNone) {
  tutti::v1::WorkerInfo worker;
  worker.set_name("a\x1b[2J");
  EXPECT_EQ(RenderWorker(worker),
            "worker  a\\x1B[2J\n"
            "state   -\n");
}

}  // namespace
}  // namespace tutti::cli
