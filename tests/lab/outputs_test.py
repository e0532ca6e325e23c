"""The outputs of real runs as other programs read them: CSV, JUnit XML, JSON Lines."""
import csv
import io
import json
import signal
import subprocess
import unittest

from junitparser import JUnitXml
from lab_case import TUTTI, LabCase

PLAN = """\
version: 1
name: small
roles: {sender: {count: 1}, receiver: {count: 1}}
matrix: {streams: [1, 2]}
traffic:
  - {name: bulk, from: sender, to: receiver, streams: "${streams}", protocol: udp, message_size: 1472B, rate: 10Mbps}
timing: {warmup: 200ms, measure: 600ms, cooldown: 100ms, interval: 100ms}
"""
INTERVALS = 6
CASES = 2

THRESHOLDS = """\
thresholds:
  - throughput.received >= 1Kbps
  - throughput.received >= 1Gbps
  - {expect: throughput.sent >= 1Gbps, severity: warn}
"""


def counts(part):
    return part.tests, part.failures, part.errors, part.skipped


class OutputsTest(LabCase):
    def run_plan(self, *options, text=PLAN):
        return self.tutti("lab", "run", self.write(text), "--quiet", "--json", self.out, *options)

    def assert_cell(self, cell, known, of):
        """An empty cell is null, a number is the same number."""
        if known is None or isinstance(known, str):
            self.assertEqual(cell, known or "", of)
        else:
            self.assertEqual(type(known)(cell), known, of)

    def test_csv_has_a_line_for_each_interval_and_host_with_the_figures_of_the_result(self):
        done = self.run_plan("--format", "csv:interval")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout), strict=True))
        result = self.result()
        readings = {
            (case["index"] + 1, interval["index"], reading["host"]): reading
            for case in result["cases"] for trial in case["trials"] for interval in trial["timeline"]
            for reading in interval["hosts"]
        }
        self.assertEqual(len(rows), CASES * INTERVALS * 2)
        for row in rows:
            self.assertNotIn(None, row, "a line is longer than the header")
            self.assertNotIn(None, row.values(), "a line is shorter than the header")
            self.assertEqual((row["run_id"], row["plan"], row["trial"]), (result["run_id"], "small", "1"))
            self.assertEqual(row["matrix.streams"], row["case"])  # 1 and 2
            reading = readings.get((int(row["case"]), int(row["interval"]), row["host"]), {})
            for name in ("begin_trial_ns", "end_trial_ns", "sent_bytes", "received_bytes", "cores_busy"):
                self.assert_cell(row[name], reading.get(name), (name, row))
            self.assert_cell(row["softnet.processed"], (reading.get("softnet") or {}).get("processed"), row)

    def test_every_kind_of_line_is_read_from_the_stored_result(self):
        done = self.run_plan()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {"csv": CASES, "csv:trial": CASES, "csv:host": CASES * 2, "csv:stream": 1 + 2,
                 "csv:interval": CASES * INTERVALS * 2}
        for name, expected in lines.items():
            with self.subTest(name):
                shown = self.tutti("show", self.out, "--format", name)
                self.assertEqual((shown.returncode, shown.stderr), (0, ""))
                rows = list(csv.DictReader(io.StringIO(shown.stdout), strict=True))
                self.assertEqual(len(rows), expected)
                self.assertEqual({row["run_id"] for row in rows}, {self.result()["run_id"]})

    def test_junit_is_read_by_others_with_equal_counts(self):
        done = self.run_plan("--format", "junit", text=PLAN + THRESHOLDS)
        self.assertEqual(done.returncode, 4, done.stderr)
        document = JUnitXml.fromstring(done.stdout.encode())
        (suite,) = document
        self.assertEqual(suite.name, "small")
        self.assertEqual(counts(suite), (3 * CASES, CASES, 0, 0))
        self.assertEqual(counts(document), counts(suite))
        suite.update_statistics()  # counts anew
        self.assertEqual(counts(document), counts(suite))
        failed = [case.name for case in suite if case.result]
        self.assertTrue(all("1Gbps" in name for name in failed), failed)
        shown = self.tutti("show", self.out, "--format", "junit")
        self.assertEqual((shown.returncode, shown.stdout), (4, done.stdout))

    def test_events_are_lines_of_json_on_standard_output_and_in_a_file(self):
        events = self.write("of an earlier run", "events.jsonl")
        done = self.run_plan("--format", "jsonl", "--jsonl", events)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(events, encoding="utf-8") as file:
            self.assertEqual(file.read(), done.stdout)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual({line["run_id"] for line in lines}, {self.result()["run_id"]})
        told = [line["event"] for line in lines if line["event"] not in ("phase", "interval", "queued")]
        case = ["case_started", "trial_started", "trial_ended", "case_ended"]
        self.assertEqual(told, ["accepted", "started", *case * CASES, "ended"])
        intervals = [(line["case_index"], line["interval"]) for line in lines if line["event"] == "interval"]
        self.assertEqual(intervals, [(case, interval) for case in range(CASES) for interval in range(INTERVALS)])
        self.assertEqual((lines[-1]["status"], lines[-1]["exit_code"]), ("passed", 0))
        shown = self.tutti("show", self.out, "--format", "jsonl")
        self.assertEqual(shown.returncode, 2)
        self.assertIn("--format json has the whole result", shown.stderr)

    def test_events_come_while_the_run_goes_on(self):
        with subprocess.Popen(
            [TUTTI, "lab", "run", self.write(PLAN), "--quiet", "--format", "jsonl", "--set", "timing.measure=30s"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.marked.environment,
        ) as process:
            self.addCleanup(process.kill)
            for line in process.stdout:
                if json.loads(line)["event"] == "interval":
                    break
            self.assertIsNone(process.poll())
            process.send_signal(signal.SIGINT)
            rest, complaints = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 8, complaints)
        last = json.loads(rest.splitlines()[-1])
        self.assertEqual((last["event"], last["status"], last["exit_code"]), ("ended", "cancelled", 8))

    def test_events_that_cannot_be_written_are_not_a_success(self):
        done = self.run_plan("--jsonl", "/dev/full")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--jsonl: write /dev/full: No space left on device", done.stderr)


if __name__ == "__main__":
    unittest.main()
