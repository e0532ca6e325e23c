"""The examples of deploy/ci, each against a real coordinator with two workers."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import yaml
from junitparser import JUnitXml
from lab_case import BIN
from lab_system import SOURCE
from service_case import BreakingProxy, ServiceCase

PLAN = """\
version: 1
name: gate
roles: {sender: {count: 1}, receiver: {count: 1}}
matrix: {streams: [1, 2]}
traffic:
  - {name: bulk, from: sender, to: receiver, streams: "${streams}", protocol: udp, message_size: 1472B, rate: 10Mbps}
timing: {warmup: 200ms, measure: 400ms, cooldown: 100ms, interval: 100ms}
thresholds: [throughput.received >= 1Kbps]
"""
CASES = 2
TOO_MUCH = PLAN.replace("1Kbps", "1000Gbps")
LONG = PLAN.replace("measure: 400ms", "measure: 60s")
LABELS = ("commit=3fa1", "branch=feature/a=b", "build_url=http://ci.example/7")


class ExampleCase(ServiceCase):
    def setUp(self):
        super().setUp()
        self.left = os.path.join(self.folder, "left")
        self.environment = self.marked.environment | {
            "COORDINATOR_URL": self.url, "TUTTI_COORDINATOR": self.address, "RETRIES": "1",
            "PATH": f"{BIN}:{os.environ['PATH']}"}

    def run_example(self, name, plan, *labels, **environment):
        return subprocess.run([self.example(name), self.write(plan), self.left, *labels], capture_output=True,
                              text=True, timeout=120, check=False, env=self.environment | environment)

    def read_left(self, name):
        with open(os.path.join(self.left, name), encoding="utf-8") as file:
            return file.read()

    def check_left(self, status, failures):
        """What the job keeps is of one run, which the coordinator knows by its labels."""
        run_id = self.read_left("run-id").strip()
        result = json.loads(self.read_left("result.json"))
        self.assertEqual((result["run_id"], result["status"]), (run_id, status))
        self.assertEqual([case["status"] for case in result["cases"]], ["good"] * CASES)
        (suite,) = JUnitXml.fromstring(self.read_left("junit.xml").encode())
        self.assertEqual((suite.name, suite.tests, suite.failures, suite.errors), ("gate", CASES, failures, 0))
        self.assertIn(run_id, self.read_left("table.txt"))
        self.assertEqual([run["run_id"] for run in self.runs("label=commit%3D3fa1")], [run_id])
        self.assertEqual([run["run_id"] for run in self.runs("label=branch%3Dfeature%2Fa%3Db")], [run_id])
        self.assertEqual(self.runs("label=commit%3Dother"), [])

    def check_killed(self, name):
        """The script, told to end while its run goes on, takes the run with it."""
        with subprocess.Popen([self.example(name), self.write(LONG), self.left], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, env=self.environment) as process:
            self.addCleanup(process.kill)
            run_id = next(line.split()[1] for line in process.stderr if line.startswith("run "))
            self.await_state(run_id, "running")
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=30)
        self.assertEqual(process.returncode, 8)
        self.await_state(run_id, "ended")
        self.assertEqual(self.get_json(f"/v1/runs/{run_id}")["summary"]["status"], "cancelled")

    def await_state(self, run_id, state):
        deadline = time.monotonic() + 15
        while (now := self.get_json(f"/v1/runs/{run_id}")["state"]) != state:
            self.assertLess(time.monotonic(), deadline, f"{now}, not {state}\n{self.logs()}")
            time.sleep(0.05)


class CurlTest(ExampleCase):
    def test_a_run_that_passes(self):
        done = self.run_example("curl-jq.sh", PLAN, *LABELS)
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        self.check_left("passed", 0)
        self.assertEqual(done.stdout, self.read_left("table.txt"))
        for case in range(1, CASES + 1):
            self.assertEqual(done.stderr.count(f"case {case}, trial 1: good\n"), 1, done.stderr)
        self.assertIn("ended: passed, exit code 0\n", done.stderr)

    def test_a_threshold_that_is_not_kept(self):
        done = self.run_example("curl-jq.sh", TOO_MUCH, *LABELS)
        self.assertEqual(done.returncode, 4, done.stderr + self.logs())
        self.check_left("limit_failed", CASES)

    def test_an_invalid_plan(self):
        done = self.run_example("curl-jq.sh", PLAN.replace("1472B", "1472"))
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"plan\.yaml:6:\d+: ")
        self.assertEqual(self.runs(), [])

    def test_a_coordinator_that_is_not_there(self):
        done = self.run_example("curl-jq.sh", PLAN, COORDINATOR_URL="http://127.0.0.1:1")
        self.assertEqual(done.returncode, 9, done.stderr)
        self.assertIn("no answer from http://127.0.0.1:1/v1\n", done.stderr)

    def test_a_broken_connection_loses_and_repeats_no_event(self):
        proxy = BreakingProxy(("127.0.0.1", int(self.url.rsplit(":", 1)[1])))
        self.addCleanup(proxy.close)
        done = self.run_example("curl-jq.sh", PLAN, *LABELS, COORDINATOR_URL=proxy.url)
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        asked = [re.search(r"^Last-Event-ID: (\d+)\r$", head, re.MULTILINE).group(1) for head in proxy.streams]
        self.assertEqual(asked, ["0", "2"], "the third event was cut in two: the second is the last that was read")
        self.assertIn("the events broke off behind number 2; reading on\n", done.stderr)
        self.assertEqual(done.stderr.count("starts: 2 case(s) on w1, w2\n"), 1, done.stderr)
        for case in range(1, CASES + 1):
            self.assertEqual(done.stderr.count(f"case {case}, trial 1: good\n"), 1, done.stderr)
        self.check_left("passed", 0)

    def test_the_same_key_is_the_same_run(self):
        first = self.run_example("curl-jq.sh", PLAN, *LABELS, IDEMPOTENCY_KEY="job 7, attempt 1")
        run_id = self.read_left("run-id")
        again = self.run_example("curl-jq.sh", PLAN, *LABELS, IDEMPOTENCY_KEY="job 7, attempt 1")
        self.assertEqual((first.returncode, again.returncode), (0, 0), first.stderr + again.stderr)
        self.assertEqual(self.read_left("run-id"), run_id)
        self.assertEqual(len(self.runs()), 1)

    def test_a_job_that_is_killed_cancels_its_run(self):
        self.check_killed("curl-jq.sh")


class CliTest(ExampleCase):
    def test_a_run_that_passes(self):
        done = self.run_example("cli.sh", PLAN, *LABELS)
        self.assertEqual(done.returncode, 0, done.stderr + self.logs())
        self.check_left("passed", 0)
        self.assertEqual(self.read_left("verdict"), "passed\n")

    def test_a_threshold_that_is_not_kept(self):
        done = self.run_example("cli.sh", TOO_MUCH, *LABELS)
        self.assertEqual(done.returncode, 4, done.stderr + self.logs())
        self.check_left("limit_failed", CASES)
        self.assertTrue(self.read_left("verdict").startswith("failed: "), self.read_left("verdict"))

    def test_a_coordinator_that_is_not_there(self):
        done = self.run_example("cli.sh", PLAN, TUTTI_COORDINATOR="127.0.0.1:1")
        self.assertEqual(done.returncode, 9, done.stderr)

    def test_a_job_that_is_killed_cancels_its_run(self):
        self.check_killed("cli.sh")


class GithubActionsTest(ExampleCase):
    """The steps of the job as a runner would carry them out: `run` by a shell, expressions replaced before."""

    def setUp(self):
        super().setUp()
        self.workspace = os.path.join(self.folder, "workspace")
        shutil.copytree(os.path.join(SOURCE, "deploy/ci"), os.path.join(self.workspace, "deploy/ci"))
        os.mkdir(os.path.join(self.workspace, "plans"))
        self.temporary = os.path.join(self.folder, "runner-temp")
        os.mkdir(self.temporary)
        self.summary = os.path.join(self.folder, "summary.md")
        self.expressions = {"vars.TUTTI_URL": self.url, "runner.temp": self.temporary}
        with open(self.example("github-actions.yaml"), encoding="utf-8") as file:
            (self.job,) = yaml.safe_load(file)["jobs"].values()

    def replace(self, text):
        """An expression that this runner does not know fails the test."""
        return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: self.expressions[found.group(1)], text)

    def run_steps(self, plan):
        """Exit code of each step that runs something, in their order."""
        with open(os.path.join(self.workspace, "plans/ci-gate.yaml"), "w", encoding="ascii") as file:
            file.write(plan)
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.folder, "GITHUB_REPOSITORY": "lab/driver",
            "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "1", "GITHUB_JOB": "network", "GITHUB_SHA": "3fa1",
            "GITHUB_REF_NAME": "feature/a=b", "GITHUB_SERVER_URL": "https://git.example",
            "GITHUB_STEP_SUMMARY": self.summary, "RUNNER_TEMP": self.temporary}
        environment |= {name: self.replace(value) for name, value in self.job["env"].items()}
        codes = []
        self.said = ""
        for step in self.job["steps"]:
            if "run" not in step:
                continue
            self.assertEqual(step["shell"], "bash")
            if codes and any(codes):
                self.assertEqual(step["if"], "${{ !cancelled() }}", "it would be left out after a failure")
            script = os.path.join(self.folder, "step.sh")
            with open(script, "w", encoding="utf-8") as file:
                file.write(self.replace(step["run"]))
            # As GitHub's documentation says of `shell: bash`.
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.workspace,
                                  env=environment, capture_output=True, text=True, timeout=120, check=False)
            self.said += done.stderr
            codes.append(done.returncode)
        return codes

    def kept_files(self):
        (kept,) = [step for step in self.job["steps"] if step.get("uses", "").startswith("actions/upload-artifact@")]
        return self.replace(kept["with"]["path"]).split()

    def test_a_build_that_passes(self):
        self.assertEqual(self.run_steps(PLAN), [0, 0], self.said + self.logs())
        self.left = os.path.join(self.temporary, "tutti")
        self.check_left("passed", 0)
        self.assertEqual(self.kept_files(), [os.path.join(self.left, name) for name in ("junit.xml", "result.json")])
        with open(self.summary, encoding="utf-8") as file:
            summary = file.read()
        self.assertIn(f"### tutti run {self.read_left('run-id')}```\n{self.read_left('table.txt')}```\n", summary)
        (run,) = self.runs("label=commit%3D3fa1")
        self.assertEqual(run["labels"]["build_url"], "https://git.example/lab/driver/actions/runs/77")

    def test_a_build_that_fails_still_shows_its_table(self):
        self.assertEqual(self.run_steps(TOO_MUCH), [4, 0], self.said + self.logs())
        with open(self.summary, encoding="utf-8") as file:
            self.assertIn("exit code 4", file.read())


if __name__ == "__main__":
    unittest.main()
