#!/usr/bin/env python3
"""What `tutti` promises to scripts: exit codes, messages, files. Against real labs where one is needed."""

import json
import os
import pty
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
        self.environment = os.environ | {
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),  # not what the tester has configured
        }
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
        for name in ("table", "stream-test", "netperf", "json", "yaml", "csv", "csv:trial", "csv:stream", "junit"):
            shown = self.tutti("show", result["run_id"], "--format", name)
            self.assertEqual((0, ""), (shown.returncode, shown.stderr), name)
            self.assertTrue(shown.stdout.strip(), name)
        self.assertEqual(result, json.loads(self.tutti("show", str(out), "--format", "json").stdout))

    def test_a_failed_threshold_ends_with_4_also_when_its_result_is_shown(self):
        path = Path(self.plan())
        path.write_text(
            path.read_text()
            + "thresholds:\n"
            + "  - throughput.received >= 1Kbps\n"
            + "  - {expect: throughput.received >= 1Gbps, scope: stream}\n"  # it is paced at 20 Mbps
            + "  - {expect: throughput.sent >= 1Gbps, severity: warn}\n"
        )
        out = self.folder / "out.json"
        done = self.tutti("lab", "run", str(path), "--json", str(out))
        self.assertEqual(4, done.returncode, done.stdout + done.stderr)
        self.assertIn("limit failed, exit code 4", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ +1  bulk +throughput.received >= 1Gbps \(each stream\) .*  FAILED$")
        result = json.loads(out.read_text())
        outcomes = result["cases"][0]["thresholds"]
        self.assertEqual([True, False, False], [outcome["passed"] for outcome in outcomes])
        self.assertEqual("good", result["cases"][0]["status"])
        shown = self.tutti("show", str(out))
        self.assertEqual((4, ""), (shown.returncode, shown.stderr))
        self.assertIn("thresholds\n", shown.stdout)

    def test_metrics_are_listed(self):
        done = self.tutti("metrics")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertRegex(done.stdout, r"(?m)^throughput\.received +9\.4Gbps +higher ")

    def test_the_facts_of_hosts_are_printed_and_two_results_are_compared(self):
        first, second = self.folder / "first.json", self.folder / "second.json"
        done = self.tutti("lab", "run", self.plan(), "--quiet", "--json", str(first))
        self.assertEqual(0, done.returncode, done.stderr)
        result = json.loads(first.read_text())
        for host in result["hosts"]:
            facts = host["facts"]
            self.assertRegex(facts["fingerprint"], "^[0-9a-f]{16}$")
            # Every null has its reason, of the fact or of what it is a part of.
            missing = {each["fact"] for each in facts["missing"]}
            self.assertEqual([], [name for name, value in facts.items() if value is None and name not in missing])
            for device in facts["devices"]:
                whole = f"devices[{device['name']}]"
                nulls = [name for name, value in device.items() if value is None]
                if whole not in missing:
                    self.assertEqual([], [name for name in nulls if f"{whole}.{name}" not in missing])
        shown = self.tutti("facts", result["run_id"])
        self.assertEqual((0, ""), (shown.returncode, shown.stderr))
        for expected in ("host1  machine m1  fingerprint ", "net.ipv4.tcp_rmem", "devices[eth0]", "not known"):
            self.assertIn(expected, shown.stdout)
        result["hosts"][0]["facts"]["kernel_release"] = "another"
        second.write_text(json.dumps(result))
        compared = self.tutti("facts", str(first), str(second))
        self.assertEqual((0, ""), (compared.returncode, compared.stderr))
        self.assertIn("host1: 1 fact differs", compared.stdout)
        self.assertIn("second: another", compared.stdout)
        self.assertIn("host2: the same", compared.stdout)

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

    def test_a_lab_that_is_too_small_is_told_before_it_starts(self):
        logs = self.folder / "logs"
        done = self.tutti("lab", "run", self.plan(), "--hosts", "1", "--log-dir", str(logs))
        self.assertEqual(3, done.returncode)
        self.assertEqual("tutti: this plan needs 2 hosts; the lab has 1: use --hosts 2\n", done.stderr)
        self.assertFalse(logs.exists(), "something was started")
        self.assertEqual(3, self.tutti("plan", self.plan(), "--hosts", "1").returncode)
        for override, expected in (
            ("roles.sender={hosts: [alpha]}", 'there is no worker "alpha"'),
            ("roles.sender={count: 1, labels: {rack: a}}", "wants 1 worker with rack=a"),
            ("traffic.bulk.network=eth7", "no interface eth7"),
        ):
            done = self.tutti("lab", "run", self.plan(), "--set", override, "--log-dir", str(logs))
            self.assertEqual(3, done.returncode, done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertNotIn("unix:", done.stderr)
            self.assertFalse(logs.exists(), "something was started")

    def test_roles_find_lab_hosts_by_label(self):
        out = self.folder / "out.json"
        done = self.tutti(
            "lab", "run", self.plan(), "--quiet", "--json", str(out), "--hosts", "3", "--label", "host3:rack=a",
            "--set", "roles.sender={count: 1, labels: {rack: a}}",
            "--set", "roles.receiver={count: 1, labels: {host: host2}}",
        )
        self.assertEqual(0, done.returncode, done.stderr)
        pairs = [(pair["from_host"], pair["to_host"]) for pair in json.loads(out.read_text())["pairs"]]
        self.assertEqual([("host3", "host2")], pairs)

    def test_logs_are_kept_in_a_folder_that_is_made(self):
        logs = self.folder / "new" / "logs"
        done = self.tutti("lab", "run", self.plan(), "--quiet", "--log-dir", str(logs))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(["coordinator.log", "host1.log", "host2.log"], sorted(os.listdir(logs)))

    def test_a_log_folder_that_cannot_be_made_is_a_usage_error(self):
        file = self.folder / "file"
        file.write_text("")
        for path in (file, file / "logs", "/dev/null/logs"):
            for command in (("run", self.plan()), ("up", "--name", "never-up")):
                with self.subTest(path=path, command=command):
                    done = self.tutti("lab", *command, "--log-dir", str(path))
                    self.assertEqual(2, done.returncode, done.stderr)
                    self.assertIn(f"write logs to {path}", done.stderr)

    def test_what_cannot_be_written_is_not_a_success(self):
        for arguments in (("plan", self.plan()), ("validate", self.plan()), ("schema",), ("version",), ("--help",),
                          ("lab", "list")):
            with self.subTest(arguments), open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([TUTTI, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
                                      env=self.environment)
                self.assertEqual(1, done.returncode, done.stderr)
                self.assertIn("standard output could not be written", done.stderr)

    def test_a_json_file_that_cannot_be_written_is_not_a_success(self):
        done = self.tutti("lab", "run", self.plan(), "--quiet", "--json", "/dev/full")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertIn("--json: write /dev/full: No space left on device", done.stderr)
        self.assertNotIn("result: /dev/full", done.stderr)

    def test_a_document_that_is_no_result_is_not_shown(self):
        path = self.folder / "other.json"
        for text in ('{"schema_version": 1}', "{}", '{"schema_version": 1, "run_id": "x"}', "[1]", "words"):
            with self.subTest(text):
                path.write_text(text)
                done = self.tutti("show", str(path))
                self.assertEqual((2, ""), (done.returncode, done.stdout))
                self.assertIn("not a result of tutti", done.stderr)

    def test_nothing_that_a_user_wrote_reaches_the_terminal_as_a_control_character(self):
        path = self.folder / "odd\x1b[2J.yaml"
        path.write_text(PLAN.replace("BUFFERS", "default").replace("name: small", 'name: "\\e[31m"'))
        good = self.plan()
        for arguments in (
            ("validate", str(path)),
            ("validate", str(path) + "\x9b"),
            ("validate", good, "--set", "re\x1bpeat=1"),
            ("plan", good, "--set", 'repeat="\\e"'),
            ("lab", "run", str(path)),
            ("lab", "run", good, "--label", "host1:\x1b"),
            ("lab", "run", good, "--hosts", "\x1b[31m"),
            ("lab", "down", "--name", "a\x1b[31m"),
            ("show", "run\x1b[31m"),
            ("\x1b[31m",),
        ):
            with self.subTest(arguments):
                done = self.tutti(*arguments)
                self.assertIn(done.returncode, (2, 3))
                self.assertTrue(done.stderr)
                self.assertNotRegex(done.stdout + done.stderr, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")

    def test_an_invalid_plan_shows_every_error_and_runs_nothing(self):
        path = self.folder / "bad.yaml"
        path.write_text(PLAN.replace("BUFFERS", "default").replace("1472B", "1472k").replace("repeat: 1", "repaet: 1"))
        for command in (("validate",), ("plan",), ("run",), ("lab", "run")):
            done = self.tutti(*command, str(path))
            self.assertEqual(3, done.returncode, done.stderr)
            self.assertRegex(done.stderr, r"bad\.yaml:\d+:\d+: .*repaet")
            self.assertRegex(done.stderr, r"bad\.yaml:\d+:\d+: .*message_size")

    def test_arguments_that_are_not_expected_are_told_in_their_order(self):
        for arguments in (("version", "one", "two", "--three"), ("lab", "list", "one", "two", "--three")):
            done = self.tutti(*arguments)
            self.assertEqual(2, done.returncode)
            self.assertIn("not expected: one two --three", done.stderr)

    def test_usage_errors_are_2(self):
        for arguments in (
            (),
            ("fly",),
            ("run",),
            ("run", "no-such-plan.yaml"),
            ("run", self.plan(), "--format", "tabel"),
            ("run", self.plan(), "--json", "/no/such/folder/out.json"),
            ("run", self.plan(), "--jsonl", "/no/such/folder/out.jsonl"),
            ("run", self.plan(), "--jsonl", "-"),
            ("run", self.plan(), "--format", "csv:row"),
            ("run", self.plan(), "--coordinator", "host:99999"),
            ("lab",),
            ("lab", "run", self.plan(), "--hosts", "0"),
            ("lab", "down", "--name", "never-started"),
            ("lab", "down", "--name", "a/b"),
            ("lab", "up", "--name", "a/b"),
            ("lab", "exec", "--name", "a/b", "host1", "true"),
            ("lab", "down", "--name", ""),
            ("lab", "up", "--name", ""),
            ("lab", "exec", "--name", "", "host1", "true"),
            ("lab", "up", "--name=-x"),
            ("lab", "down", "--name", "a\u202eb"),
            ("lab", "up", "--label", "rack=a"),
            ("lab", "up", "--name", "never-up", "--label", "host3:rack=a"),
            ("show", "no-such-run"),
            ("facts", "no-such-run"),
            ("facts",),
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

    def lab_up(self, *options: str) -> tuple[str, str]:
        """A lab of two hosts until the test ends: its name, and what `lab up` has printed."""
        name = f"cli-test-{os.getpid()}"
        up = self.tutti("lab", "up", "--hosts", "2", "--name", name, *options)
        self.assertEqual(0, up.returncode, up.stderr)
        self.addCleanup(lambda: self.tutti("lab", "down", "--name", name))
        return name, up.stdout

    def test_labs_that_are_up_are_listed_with_all_their_addresses(self):
        self.environment["XDG_RUNTIME_DIR"] = str(self.folder)
        self.assertEqual("no lab is up; start one: tutti lab up\n", self.tutti("lab", "list").stdout)
        before = time.time()
        name, printed = self.lab_up("--ipv6")
        self.assertRegex(printed, r"(?m)^  host2  10\.77\.0\.12  fd74:7574:7469::c$")
        by_name = self.tutti("workers", "--lab", name)
        self.assertEqual(0, by_name.returncode, by_name.stderr)
        self.assertIn("host2", by_name.stdout)
        clocks = self.tutti("doctor", "--clocks", "--for", "2s", "--lab", name)
        self.assertEqual(0, clocks.returncode, clocks.stderr)
        self.assertIn("udp, kernel stamps", clocks.stdout)
        document = json.loads(self.tutti("workers", "--lab", name, "--output", "json").stdout)
        self.assertEqual(["host1", "host2"], [worker["name"] for worker in document["workers"]])
        self.assertTrue(all(worker["facts"]["kernel_release"] for worker in document["workers"]))
        document = json.loads(self.tutti("doctor", "--clocks", "--lab", name, "--output", "json").stdout)
        self.assertEqual(["host1", "host2"], [worker["name"] for worker in document["workers"]])
        self.assertEqual([None, None], [worker["facts"] for worker in document["workers"]])
        (lab,) = json.loads(self.tutti("lab", "list", "--output", "json").stdout)["labs"]
        self.assertEqual((name, ["host1", "host2"]), (lab["name"], [host["name"] for host in lab["hosts"]]))
        self.environment["TUTTI_COORDINATOR"] = "127.0.0.1:19"
        self.assertEqual(0, self.tutti("workers", "--lab", name).returncode, "a flag wins over the environment")
        del self.environment["TUTTI_COORDINATOR"]
        nobody = self.tutti("workers", "--lab", "nobody")
        self.assertEqual(2, nobody.returncode)
        self.assertIn("no lab 'nobody' is up", nobody.stderr)
        listed = self.tutti("lab", "list")
        self.assertEqual(0, listed.returncode, listed.stderr)
        head, line = listed.stdout.splitlines()
        self.assertEqual(["NAME", "HOSTS", "PID", "SINCE", "COORDINATOR"], head.split())
        found = re.fullmatch(r"(\S+) +(\d+) +(\d+) +(\S+ \S+) +(\S+)", line)
        self.assertEqual((name, "2"), found.group(1, 2))
        self.assertEqual("tutti-lab\n", Path(f"/proc/{found.group(3)}/comm").read_text())
        since = time.mktime(time.strptime(found.group(4), "%Y-%m-%d %H:%M:%S"))
        self.assertTrue(before - 1 <= since <= time.time(), line)
        self.assertIn(f"--coordinator {found.group(5)}\n", printed)
        self.assertEqual(0, self.tutti("workers", "--coordinator", found.group(5)).returncode)
        self.assertEqual(0, self.tutti("lab", "down", "--name", name).returncode)
        self.assertEqual("no lab is up; start one: tutti lab up\n", self.tutti("lab", "list").stdout)

    def start_inside(self, name: str, *command: str, ignored: tuple = ()) -> subprocess.Popen:
        """`lab exec` of a command that prints a line once it is ready, with the usual signals as a shell leaves them."""
        def dispositions():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        process = subprocess.Popen(
            [TUTTI, "lab", "exec", "--name", name, "host1", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=self.environment, preexec_fn=dispositions,
        )
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
        self.assertEqual("ready\n", process.stdout.readline())
        return process

    def test_signals_for_lab_exec_are_the_commands(self):
        name, _ = self.lab_up()
        trap = 'trap "echo ended; exit 5" INT TERM HUP; echo ready; while :; do sleep 0.02; done'
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.start_inside(name, "sh", "-c", trap)
                process.send_signal(number)
                printed, errors = process.communicate(timeout=10)
                self.assertEqual(("ended\n", "", 5), (printed, errors, process.returncode))
                process = self.start_inside(name, "sh", "-c", "echo ready; exec sleep 60")
                process.send_signal(number)
                self.assertEqual(128 + number, process.wait(timeout=10))

    def test_a_signal_to_the_process_and_to_its_group_reaches_the_command_once(self):
        name, _ = self.lab_up()
        count = (
            "import signal, time\n"
            "got = []\n"
            "signal.signal(signal.SIGTERM, lambda *_: got.append(time.monotonic()))\n"
            "print('ready', flush=True)\n"
            "end = time.monotonic() + 4\n"
            "while time.monotonic() < end: time.sleep(0.01)\n"
            "print(len(got))\n"
        )
        process = subprocess.run(
            ["timeout", "2", TUTTI, "lab", "exec", "--name", name, "host1", "/usr/bin/python3", "-c", count],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env=self.environment, timeout=20,
            start_new_session=True,
        )
        self.assertEqual("ready\n1\n", process.stdout, process.stderr)

    def test_a_command_that_cannot_be_run_is_127_or_126(self):
        name, _ = self.lab_up()
        for command, status in (("no-such-program", 127), ("/etc/passwd", 126), ("/etc", 126)):
            with self.subTest(command):
                done = self.tutti("lab", "exec", "--name", name, "host1", command)
                self.assertEqual(status, done.returncode)
                self.assertIn(f"run {command}", done.stderr)
        self.assertEqual(2, self.tutti("lab", "exec", "--name", name, "host9", "true").returncode)

    def test_what_lab_exec_is_told_to_ignore_the_command_ignores(self):
        name, _ = self.lab_up()
        process = self.start_inside(name, "sh", "-c", "echo ready; exec sleep 60", ignored=(signal.SIGHUP,))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(128 + signal.SIGTERM, process.wait(timeout=10))

    def test_ctrl_c_in_a_terminal_reaches_the_command_once(self):
        name, _ = self.lab_up()
        count = (
            "import signal\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})\n"
            "print('ready', flush=True)\n"
            "signal.sigtimedwait({signal.SIGINT}, 5)\n"
            "print('first', flush=True)\n"
            "print('second:', signal.sigtimedwait({signal.SIGINT}, 1), flush=True)\n"
        )
        pid, terminal = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(TUTTI, [TUTTI, "lab", "exec", "--name", name, "host1", "/usr/bin/python3", "-c", count],
                      self.environment)
        # While tutti is stopped the command takes the terminal's signal: one that follows is not merged with it.
        steps = [(b"ready", lambda: (os.kill(pid, signal.SIGSTOP), os.write(terminal, b"\x03"))),
                 (b"first", lambda: os.kill(pid, signal.SIGCONT))]
        printed = b""
        try:
            while chunk := os.read(terminal, 1000):
                printed += chunk
                while steps and steps[0][0] in printed:
                    steps.pop(0)[1]()
        except OSError:  # EIO: the other end of the terminal is closed
            pass
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        self.assertIn(b"second: None", printed)
        self.assertEqual(0, os.waitstatus_to_exitcode(status))

    def test_a_lab_that_stays_up_takes_runs_and_commands(self):
        name, printed = self.lab_up()
        address = re.search(r"--coordinator (\S+)", printed).group(1)
        workers = self.tutti("workers", "--coordinator", address)
        self.assertRegex(workers.stdout, r"(?m)^host1 .*\n(.*\n)*host2 ")
        inside = self.tutti("lab", "exec", "--name", name, "host2", "ip", "-br", "address", "show")
        self.assertIn("10.77.0.12", inside.stdout, inside.stderr)
        self.assertEqual(3, self.tutti("lab", "exec", "--name", name, "host1", "sh", "-c", "exit 3").returncode)
        self.assertEqual(3, self.tutti("lab", "exec", "--name", name, "host1", "--", "sh", "-c", "exit 3").returncode)
        for front in (("host1", "--"), ("--", "host1")):
            echoed = self.tutti("lab", "exec", "--name", name, *front, "echo", "--version", "--", "list")
            self.assertEqual("--version -- list\n", echoed.stdout, echoed.stderr)
        judged = self.folder / "judged.yaml"
        judged.write_text(PLAN.replace("BUFFERS", "default") +
                          'thresholds:\n  - {expect: throughput.sent > 1Mbps, scope: "host:nix"}\n')
        for command in ("plan", "run"):
            refused = self.tutti(command, str(judged), "--coordinator", address)
            self.assertEqual(3, refused.returncode, refused.stderr)
            self.assertRegex(refused.stderr, r'judged\.yaml:\d+:\d+: .*"nix" is a host of no role in this run')
        done = self.tutti("run", self.plan(), "--coordinator", address, "--quiet")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual(0, self.tutti("lab", "down", "--name", name).returncode)
        self.assertEqual(9, self.tutti("workers", "--coordinator", address).returncode)


if __name__ == "__main__":
    unittest.main()
