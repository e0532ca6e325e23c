"""Real trials in real labs: what is measured adds up, and what goes wrong is told, with the right exit code.

Most labs have clock offsets: hosts' clocks are days apart, so that any time taken from the wrong clock shows.
"""
import os
import re
import signal
import subprocess
import time
import unittest

import lab_system
from lab_case import TUTTI, WORKER, LabCase
from lab_system import AS_NOBODY, IS_ROOT, SOURCE, WITHOUT_NAMESPACES, await_true

STREAM_TEST = os.path.join(SOURCE, "plans/stream-test.yaml")
STREAM_TEST_TCP = os.path.join(SOURCE, "plans/stream-test-tcp.yaml")
SHORT = ("--set", "timing.warmup=200ms", "--set", "timing.measure=500ms", "--set", "timing.cooldown=100ms",
         "--set", "repeat=1", "--set", "matrix.socket_buffer=[default]")


def plan(protocol="udp", warmup="300ms", measure="1s", cooldown="200ms", extra=""):
    return f"""
version: 1
name: lab-test
roles: {{sender: {{count: 1}}, receiver: {{count: 1}}}}
traffic:
  - {{name: bulk, from: sender, to: receiver, pattern: pairs, streams: 2, protocol: {protocol},
     message_size: 1KiB, rate: 20Mbps{extra}}}
timing: {{warmup: {warmup}, measure: {measure}, cooldown: {cooldown}, interval: 100ms}}
repeat: 1
"""


class TrialCase(LabCase):
    def start(self, *arguments):
        process = subprocess.Popen([TUTTI, *arguments], env=self.marked.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def workers(self):
        """Process of each host, by name."""
        found = {}
        for pid in self.marked.pids():
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode().split("\0")
            if words[0].endswith("tutti-worker") and "--name" in words:
                found[words[words.index("--name") + 1]] = pid
        return found

    def daemon(self, name):
        """Process whose command or thread name ends so."""
        for pid in self.marked.pids():
            with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                if file.read().strip() == name[:15]:
                    return pid
        self.fail(f"no process {name}")

    def await_traffic(self, host="host2"):
        def received():
            pid = self.workers().get(host)
            return lab_system.received_bytes(pid) if pid else 0
        self.assertTrue(await_true(lambda: received() > 200_000, 60), "no traffic")


class FiguresTest(TrialCase):
    def check_sums(self, entry, streams):
        for side in ("sent", "received"):
            total = entry[f"{side}_bytes"]
            self.assertEqual(total["parts_known"], total["parts"])
            self.assertGreater(total["value"], 0)
            self.assertEqual(sum(entry[f"{side}_bytes_intervals"]), total["value"])
            self.assertEqual(sum(s[f"{side}_bytes"] for s in streams), total["value"])
            for stream in streams:
                self.assertEqual(sum(stream[f"{side}_bytes_intervals"]), stream[f"{side}_bytes"])

    def run_and_check(self, *arguments, prefix=()):
        done = self.tutti("lab", "run", *arguments, "--json", self.out, prefix=prefix)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_nothing_left()
        result = self.result()
        self.assertEqual((result["status"], result["exit_code"], result["lab"]), ("passed", 0, True))
        self.assertFalse(result["insecure"])
        for case in result["cases"]:
            for trial in case["trials"]:
                self.assertEqual(trial["status"], "good", trial["reasons"])
                for entry in trial["entries"]:
                    self.check_sums(entry, [s for s in trial["streams"] if s["flow"]["entry"] == entry["entry"]])
        return result

    def test_the_experiment_of_2007(self):
        result = self.run_and_check(STREAM_TEST, *SHORT, "--set", "matrix.streams=[1, 4]", "--clock-offsets")
        self.assertEqual([case["status"] for case in result["cases"]], ["good", "good"])
        for case in result["cases"]:
            loss = case["trials"][0]["entries"][0]["loss"]
            self.assertEqual(loss["in_order"] + loss["reordered"] + loss["late"] + loss["lost"], loss["sent"])
            self.assertEqual(loss["foreign"], 0)
            entry = case["trials"][0]["entries"][0]
            self.assertEqual(entry["in_flight_bytes"],
                             entry["sent_bytes"]["value"] - entry["received_bytes"]["value"] - 1472 * loss["lost"])

    def test_tcp(self):
        result = self.run_and_check(STREAM_TEST_TCP, *SHORT, "--set", "matrix.streams=[2]", "--clock-offsets")
        trial = result["cases"][0]["trials"][0]
        for stream in trial["streams"]:
            self.assertEqual(stream["sender"]["total_bytes"], stream["receiver"]["total_bytes"])
            self.assertTrue(stream["receiver"]["drained"])

    def test_clocks_of_hosts_are_told_as_they_were_shifted(self):
        result = self.run_and_check(self.write(plan()), "--clock-offsets")
        clocks = {host["host"]: host["clock"] for host in result["cases"][0]["trials"][0]["hosts"]}
        for index in (1, 2):
            clock = clocks[f"host{index}"]
            shifted = index * (2 * 86400 * 10**9 + 1234567891)
            # Offset is timeline - host, and the coordinator's clock is the machine's.
            self.assertLessEqual(abs(clock["offset_ns"] + shifted), clock["bound_before_ns"])
            self.assertLess(clock["bound_before_ns"], 20_000_000)

    def test_ipv6(self):
        result = self.run_and_check(self.write(plan(extra=", network: 'fd74:7574:7469::/64'")), "--ipv6")
        self.assertEqual((result["pairs"][0]["from_address"], result["pairs"][0]["to_address"]),
                         ("fd74:7574:7469::b", "fd74:7574:7469::c"))

    @unittest.skipUnless(IS_ROOT, "becomes another user")
    def test_without_root(self):
        result = self.run_and_check(self.write(plan("tcp")), "--clock-offsets", "--ipv6", prefix=AS_NOBODY)
        self.assertEqual(result["pairs"][0]["to_address"], "10.77.0.12")

    @unittest.skipUnless(IS_ROOT, "needs a user namespace of its own in which to forbid further ones")
    def test_loopback_addresses_as_the_last_resort(self):
        result = self.run_and_check(self.write(plan("tcp")), prefix=WITHOUT_NAMESPACES)
        self.assertEqual((result["pairs"][0]["from_address"], result["pairs"][0]["to_address"]),
                         ("127.0.0.11", "127.0.0.12"))


class LossOfAWorkerTest(TrialCase):
    """In a lab of the run's own; lost_worker_test.py meets each phase."""

    def test_a_killed_host_leaves_a_partial_result_and_nothing_else(self):
        process = self.start("lab", "run", self.write(plan("tcp", measure="10s")), "--json", self.out,
                             "--clock-offsets")
        self.await_traffic()
        time.sleep(0.5)  # of the window's 10 s
        lab_system.kill(self.workers()["host2"])
        out, err = process.communicate(timeout=8)  # of which its lease is 2 s
        self.assertEqual(process.returncode, 7, out + err)
        self.assertIn("host2", err)
        result = self.result()
        self.assertEqual((result["status"], result["exit_code"]), ("partial", 7))
        self.assert_nothing_left()


class EndTest(TrialCase):
    """The whole lab under traffic: nothing is left, whichever process is killed."""

    def under_traffic(self, protocol):
        process = self.start("lab", "run", self.write(plan(protocol, measure="30s")), "--json", self.out,
                             "--clock-offsets")
        self.await_traffic()
        return process

    def test_interrupt_cancels_and_leaves_a_valid_result(self):
        for protocol in ("tcp", "udp"):
            with self.subTest(protocol=protocol):
                process = self.under_traffic(protocol)
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=20)
                self.assertEqual(process.returncode, 8, err)
                result = self.result()
                self.assertEqual((result["status"], result["exit_code"]), ("cancelled", 8))
                self.assert_nothing_left()

    def test_killed_client(self):
        for protocol in ("tcp", "udp"):
            with self.subTest(protocol=protocol):
                self.under_traffic(protocol).kill()
                self.assert_nothing_left()

    def test_killed_supervisor(self):
        process = self.under_traffic("tcp")
        lab_system.kill(self.daemon("tutti-lab"))
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 9)
        self.assert_nothing_left()

    def test_killed_coordinator(self):
        process = self.under_traffic("tcp")
        lab_system.kill(self.daemon("tutti-coordinator"))
        _, err = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 9, err)
        self.assert_nothing_left()

    def test_a_threshold_with_abort_ends_the_run_early(self):
        text = plan(measure="20s") + "thresholds: [{expect: throughput.received >= 1Gbps, abort: true, grace: 1s}]\n"
        began = time.monotonic()
        done = self.tutti("lab", "run", self.write(text), "--quiet", "--json", self.out, "--set", "repeat=2")
        self.assertLess(time.monotonic() - began, 18)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        result = self.result()
        case = result["cases"][0]
        self.assertEqual(["aborted"], [trial["status"] for trial in case["trials"]])
        self.assertEqual(("limit_failed", "aborted"), (result["status"], case["status"]))
        self.assertRegex(case["trials"][0]["reasons"][0],
                         r"^throughput\.received of entry bulk was [\d.]+Mbps over [\d.]+m?s, wanted >= 1Gbps ")
        self.assert_nothing_left()


class NamesTest(TrialCase):
    def up(self, hosts=2):
        done = self.tutti("lab", "up", "--hosts", str(hosts), "--name", "t")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.addCleanup(lambda: self.tutti("lab", "down", "--name", "t"))
        return re.search(r"--coordinator (\S+)", done.stdout).group(1)

    def test_a_second_worker_of_one_name_is_refused(self):
        address = self.up()
        second = self.tutti("lab", "exec", "--name", "t", "host2", WORKER, "--coordinator",
                            "10.77.0.1:7117", "--insecure", "--name", "host1")
        self.assertEqual(second.returncode, 10, second.stderr)
        self.assertIn("in use by", second.stderr)
        self.assertIn("--name", second.stderr)
        workers = self.tutti("workers", "--coordinator", address)
        self.assertEqual(workers.returncode, 0, workers.stderr)
        self.assertEqual(len(re.findall(r"(?m)^host[12] ", workers.stdout)), 2, workers.stdout)

    def test_a_stopped_worker_fails_the_next_run_in_time(self):
        address = self.up()
        os.kill(self.workers()["host2"], signal.SIGSTOP)
        began = time.monotonic()
        done = self.tutti("run", self.write(plan()), "--coordinator", address, "--json", self.out)
        self.assertLess(time.monotonic() - began, 20)
        self.assertIn(done.returncode, (3, 7, 11), done.stdout + done.stderr)
        self.assertIn("host2", done.stdout + done.stderr)

    def test_runs_follow_each_other_in_one_lab(self):
        address = self.up()
        for _ in range(2):
            done = self.tutti("run", self.write(plan()), "--coordinator", address, "--json", self.out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.tutti("lab", "down", "--name", "t").returncode, 0)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
