#!/usr/bin/env python3
"""What `tutti` promises to scripts: exit codes, messages, files. Against real labs where one is needed."""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(os.environ.get("TUTTI_SOURCE", Path(__file__).resolve().parents[2]))
TUTTI = str(Path(os.environ.get("TUTTI_BIN", ROOT / "build/release/bin")).resolve() / "tutti")

PLAN = """\
version: 1
name: small
roles:
  sender: {count: 1}
  receiver: {count: 1}
matrix:
  buffer: [BUFFERS]
traffic:
  - name: bulk
    from: sender
    to: receiver
    pattern: pairs
    streams: 2
    protocol: udp
    message_size: 1472B
    rate: 20Mbps
    socket_buffer: {send: default, receive: "${buffer}"}
timing: {warmup: 200ms, measure: 1s, cooldown: 100ms, interval: 100ms}
repeat: 1
"""

LIVE_LINE = r"(?m)^ +\d\.\d\d-\d\.\d\d +"


class Cli(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tutti-cli-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = os.environ | {"XDG_STATE_HOME": str(self.folder / "state")}
        self.environment.pop("TUTTI_COORDINATOR", None)

    def plan(self, buffers: str = "default") -> str:
        path = self.folder / "small.yaml"
        path.write_text(PLAN.replace("BUFFERS", buffers))
        return str(path)

    def tutti(self, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess:
        return subprocess.run(
            [*before, TUTTI, *arguments], capture_output=True, text=True, timeout=60, env=self.environment
        )

    def start(self, *arguments: str) -> subprocess.Popen:
        process = subprocess.Popen(
            [TUTTI, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment
        )
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
        return process

    def read_live_until(self, process: subprocess.Popen, pattern: str) -> str:
        seen = ""
        for line in process.stderr:
            seen += line
            if re.search(pattern, line):
                return seen
        self.fail(f"no line with {pattern!r}:\n{seen}")

    def test_a_run_in_a_lab_passes_prints_its_table_and_leaves_its_result(self):
        out = self.folder / "out.json"
        done = self.tutti("lab", "run", self.plan(), "--json", str(out))
        self.assertEqual(0, done.returncode, done.stderr)
        result = json.loads(out.read_text())
        self.assertEqual(("passed", 0), (result["status"], result["exit_code"]))
        stored = self.folder / "state/tutti/results" / f"{result['run_id']}.json"
        self.assertEqual(result, json.loads(stored.read_text()))
        self.assertIn(str(stored), done.stderr)
        # A line for each of the ten intervals after the warm-up, beside the report and not in it.
        intervals = re.findall(r"(?m)^ +(\d\.\d\d)-\d\.\d\d +", done.stderr)
        self.assertEqual([f"{0.2 + 0.1 * i:.2f}" for i in range(10)], intervals)
        self.assertNotRegex(done.stdout, LIVE_LINE)
        self.assertIn("bulk", done.stdout)
        for name in ("table", "stream-test", "netperf", "json"):
            shown = self.tutti("show", result["run_id"], "--format", name)
            self.assertEqual((0, ""), (shown.returncode, shown.stderr), name)
            self.assertTrue(shown.stdout.strip(), name)
        self.assertEqual(result, json.loads(self.tutti("show", str(out), "--format", "json").stdout))

    def test_quiet_prints_no_line_per_interval(self):
        done = self.tutti("lab", "run", self.plan(), "--quiet", "--format", "stream-test")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertNotRegex(done.stderr, LIVE_LINE)
        self.assertRegex(done.stdout, r"^\*\* .*2 streams: Send at [\d.]+ Mb/s, Receive at [\d.]+ Mb/s\n$")

    def test_buffers_beyond_the_limit_are_told_before_the_start_and_the_other_cases_run(self):
        limit = int(Path("/proc/sys/net/core/rmem_max").read_text())
        # In a user namespace nobody may force buffers.
        before = ("unshare", "--user", "--map-root-user") if os.geteuid() == 0 else ()
        out = self.folder / "out.json"
        done = self.tutti("lab", "run", self.plan(f"default, {limit + 1}B"), "--json", str(out), before=before)
        self.assertEqual(7, done.returncode, done.stdout + done.stderr)
        sysctl = f"sysctl -w net.core.rmem_max={limit + 1}"
        self.assertIn(sysctl, done.stderr)
        self.assertLess(done.stderr.index(sysctl), re.search(LIVE_LINE, done.stderr).start(), "told too late")
        result = json.loads(out.read_text())
        self.assertEqual("partial", result["status"])
        self.assertEqual(["good", "not_run"], [case["status"] for case in result["cases"]])
        self.assertIn(sysctl, " ".join(result["cases"][1]["reasons"]))
        self.assertIn(sysctl, done.stdout)

    def test_the_first_interrupt_cancels_and_the_result_is_written(self):
        out = self.folder / "out.json"
        process = self.start("lab", "run", self.plan(), "--json", str(out), "--set", "timing.measure=30s")
        self.read_live_until(process, LIVE_LINE)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=20)
        self.assertEqual(8, process.returncode, rest)
        self.assertLess(time.monotonic() - began, 4)
        result = json.loads(out.read_text())
        self.assertEqual(("cancelled", 8), (result["status"], result["exit_code"]))

    def test_a_second_interrupt_quits_at_once(self):
        process = self.start("lab", "run", self.plan(), "--set", "timing.measure=30s")
        self.read_live_until(process, LIVE_LINE)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=5)
        self.assertEqual(8, process.returncode)

    def test_an_unreachable_coordinator_is_named_with_what_to_do(self):
        for command in (("run", self.plan()), ("workers",), ("plan", self.plan())):
            done = self.tutti(*command, "--coordinator", "127.0.0.1:9")
            self.assertEqual(9, done.returncode, done.stderr)
            self.assertIn("127.0.0.1:9", done.stderr)
            self.assertIn("tutti-coordinator", done.stderr)

    def test_the_coordinator_comes_from_the_environment(self):
        self.environment["TUTTI_COORDINATOR"] = "127.0.0.1:19"
        done = self.tutti("workers")
        self.assertEqual(9, done.returncode)
        self.assertIn("127.0.0.1:19", done.stderr)

    def test_plain_text_to_another_host_is_refused_without_insecure(self):
        done = self.tutti("run", self.plan(), "--coordinator", "192.0.2.1")
        self.assertEqual(10, done.returncode)
        self.assertIn("--insecure", done.stderr)

    def test_an_invalid_plan_shows_every_error_and_runs_nothing(self):
        path = self.folder / "bad.yaml"
        path.write_text(PLAN.replace("BUFFERS", "default").replace("1472B", "1472k").replace("repeat: 1", "repaet: 1"))
        for command in (("validate",), ("plan",), ("run",), ("lab", "run")):
            done = self.tutti(*command, str(path))
            self.assertEqual(3, done.returncode, done.stderr)
            self.assertRegex(done.stderr, r"bad\.yaml:\d+:\d+: .*repaet")
            self.assertRegex(done.stderr, r"bad\.yaml:\d+:\d+: .*message_size")

    def test_usage_errors_are_2(self):
        for arguments in (
            (),
            ("fly",),
            ("run",),
            ("run", "no-such-plan.yaml"),
            ("run", self.plan(), "--format", "tabel"),
            ("run", self.plan(), "--json", "/no/such/folder/out.json"),
            ("run", self.plan(), "--coordinator", "host:99999"),
            ("lab",),
            ("lab", "run", self.plan(), "--hosts", "0"),
            ("lab", "down", "--name", "never-started"),
            ("show", "no-such-run"),
        ):
            with self.subTest(arguments):
                done = self.tutti(*arguments)
                self.assertEqual(2, done.returncode, done.stderr)
                self.assertTrue(done.stderr)

    def test_help_and_version_are_0(self):
        for arguments in (("--help",), ("--version",), ("lab", "run", "--help"), ("version",), ("schema",)):
            self.assertEqual(0, self.tutti(*arguments).returncode, arguments)
        json.loads(self.tutti("schema").stdout)

    def test_an_unknown_command_is_named(self):
        self.assertIn('"fly" is not a command', self.tutti("fly").stderr)

    def test_a_report_that_cannot_be_printed_is_not_a_success(self):
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", TUTTI, "lab", "run", self.plan(), "--quiet"],
            capture_output=True, text=True, timeout=60, env=self.environment,
        )
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("standard output", done.stderr)

    def test_a_plan_that_asks_for_ipv6_runs_over_it(self):
        out = self.folder / "six.json"
        done = self.tutti("lab", "run", self.plan(), "--quiet", "--set", "traffic.bulk.ip=ipv6", "--json", str(out))
        self.assertEqual(0, done.returncode, done.stderr)
        for pair in json.loads(out.read_text())["pairs"]:
            self.assertIn(":", pair["from_address"])
            self.assertIn(":", pair["to_address"])

    def test_a_lab_that_stays_up_takes_runs_and_commands(self):
        name = f"cli-test-{os.getpid()}"
        up = self.tutti("lab", "up", "--hosts", "2", "--name", name)
        self.assertEqual(0, up.returncode, up.stderr)
        self.addCleanup(lambda: self.tutti("lab", "down", "--name", name))
        address = re.search(r"--coordinator (\S+)", up.stdout).group(1)
        workers = self.tutti("workers", "--coordinator", address)
        self.assertRegex(workers.stdout, r"(?m)^host1 .*\n(.*\n)*host2 ")
        inside = self.tutti("lab", "exec", "--name", name, "host2", "ip", "-br", "address", "show")
        self.assertIn("10.77.0.12", inside.stdout, inside.stderr)
        self.assertEqual(3, self.tutti("lab", "exec", "--name", name, "host1", "sh", "-c", "exit 3").returncode)
        done = self.tutti("run", self.plan(), "--coordinator", address, "--quiet")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(0, self.tutti("lab", "down", "--name", name).returncode)
        self.assertEqual(9, self.tutti("workers", "--coordinator", address).returncode)


if __name__ == "__main__":
    unittest.main()
