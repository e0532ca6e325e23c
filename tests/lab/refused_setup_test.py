"""What a host cannot give a trial: the run ends with its reason and what to do, and the hosts serve the next one."""
import os
import resource
import time
import unittest

from lab_case import FleetCase

TRIAL_FAILED = 11


def plan(streams=1, more=""):
    return f"""
version: 1
name: refused
roles: {{sender: {{hosts: [host1]}}, receiver: {{hosts: [host2]}}}}
traffic:
  - {{name: bulk, from: sender, to: receiver, streams: {streams}, protocol: tcp, message_size: 1KiB, rate: 5Mbps{more}}}
timing: {{warmup: 100ms, measure: 200ms, cooldown: 50ms, interval: 100ms}}
"""


class RefusedSetupTest(FleetCase):
    def check_refusal(self, text, *expected):
        done = self.run_plan(text)
        self.assertEqual(done.returncode, TRIAL_FAILED, done.stdout + done.stderr)
        reasons = " ".join(self.result()["cases"][0]["trials"][0]["reasons"])
        for part in expected:
            self.assertIn(part, reasons)
            self.assertIn(part, done.stderr)
        self.await_idle("host1", "host2")

    def check_forbidden_cpu(self, allowed, forbidden):
        self.check_refusal(plan(more=f", cpus: {{sender: [{forbidden}]}}"), "PREPARE on host host1", "stream 0",
                           f"CPU {forbidden} is not allowed", f"CPUs allowed to the worker: {allowed}", "taskset -p")

    def check_open_files(self):
        opened = len(os.listdir(f"/proc/{self.pids['host2']}/fd"))
        limit = opened + 50
        resource.prlimit(self.pids["host2"], resource.RLIMIT_NOFILE, (limit, limit))
        self.check_refusal(plan(streams=100), "PREPARE on host host2", "EMFILE", f"a hard limit of {limit}",
                           "LimitNOFILE=", "ulimit -Hn")

    def check_filtered_port(self):
        self.block_route("host2", "host1")
        began = time.monotonic()
        self.check_refusal(plan(), "CONNECT on host host", f"{self.addresses['host2']}:", "ETIMEDOUT", "packet filter")
        self.assertLess(time.monotonic() - began, 10)
        self.unblock_route("host2", "host1")

    def test_each_is_told_with_what_to_do_and_the_hosts_serve_on(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.start_fleet(2, prefix=("taskset", "-c", str(cpus[0])))
        with self.subTest("a CPU that exists and is not allowed"):
            if len(cpus) < 2:
                self.skipTest("this machine has no second CPU")
            self.check_forbidden_cpu(*cpus[:2])
        with self.subTest("more sockets than the hard limit of open files"):
            self.check_open_files()
        with self.subTest("a port that a packet filter hides"):
            self.check_filtered_port()
        self.assert_passes(plan(more=f", cpus: {{sender: [{cpus[0]}]}}"))
        self.end_fleet()


if __name__ == "__main__":
    unittest.main()
