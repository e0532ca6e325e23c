"""Runs that nobody waits for, and workers that get none, in a lab that stays up."""
import json
import re
import unittest

from lab_case import LabCase

PLAN = """
version: 1
name: running-runs
roles: {sender: {count: 1}, receiver: {count: 1}}
traffic:
  - {name: bulk, from: sender, to: receiver, pattern: pairs, protocol: udp, message_size: 1KiB, rate: 10Mbps}
timing: {warmup: 300ms, measure: 2s, cooldown: 200ms, interval: 100ms}
repeat: 1
"""
ID = re.compile(r"[0-9a-z-]+\n")


class RunningRunsTest(LabCase):
    def setUp(self):
        super().setUp()
        up = self.tutti("lab", "up", "--hosts", "2", "--name", "r")
        self.assertEqual(up.returncode, 0, up.stderr)
        self.addCleanup(lambda: self.tutti("lab", "down", "--name", "r"))
        self.address = re.search(r"--coordinator (\S+)", up.stdout).group(1)
        self.plan = self.write(PLAN)

    def ask(self, *arguments):
        return self.tutti(*arguments, "--coordinator", self.address)

    def submit(self, *options):
        done = self.ask("run", self.plan, "--detach", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, ID)
        return done.stdout.strip()

    def test_a_run_is_left_asked_for_joined_and_cancelled(self):
        first = self.submit()
        second = json.loads(self.ask("run", self.plan, "--detach", "--output", "json").stdout)["run_id"]
        why = self.ask("why-not", second)
        self.assertEqual(why.returncode, 0, why.stderr)
        self.assertIn(first, why.stdout)
        status = json.loads(self.ask("status", second, "--output", "json").stdout)
        self.assertEqual((status["summary"]["run_id"], status["state"]), (second, "waiting"))
        cancelled = self.ask("cancel", second)
        self.assertEqual((cancelled.returncode, cancelled.stdout), (0, ""), cancelled.stderr)
        attached = self.ask("attach", first, "--json", self.out)
        self.assertEqual(attached.returncode, 0, attached.stderr)
        self.assertIn("bulk", attached.stdout)
        self.assertEqual(self.result()["run_id"], first)
        watched = self.ask("watch", second)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertIn(f"{second}: cancelled, exit code 8\n", watched.stdout)
        self.assertEqual(self.ask("attach", second).returncode, 8)
        self.assertIn("does not wait", self.ask("why-not", first).stdout)

    def test_a_key_names_one_run(self):
        first = self.submit("--idempotency-key", "build-1")
        self.assertEqual(self.submit("--idempotency-key", "build-1"), first)
        self.assertNotEqual(self.submit("--idempotency-key", "build-2"), first)

    def test_what_nobody_knows_is_a_usage_error(self):
        for command in (("status", "run-0"), ("attach", "run-0"), ("watch", "run-0"), ("why-not", "run-0"),
                        ("cancel", "run-0"), ("workers", "show", "host9"), ("workers", "drain", "host9")):
            with self.subTest(command):
                done = self.ask(*command)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)

    def test_a_draining_worker_is_shown_and_gets_no_run(self):
        drained = self.ask("workers", "drain", "host2", "--reason", "a new kernel")
        self.assertEqual(drained.returncode, 0, drained.stderr)
        self.assertRegex(self.ask("workers").stdout, r"(?m)^host2 +draining since \S+ \S+: a new kernel ")
        self.assertRegex(self.ask("workers", "show", "host2").stdout, r"(?m)^draining .*: a new kernel$")
        refused = self.ask("run", self.plan, "--detach")
        self.assertEqual((refused.returncode, refused.stdout), (3, ""), refused.stderr)
        self.assertEqual(self.ask("plan", self.plan).returncode, 3)
        self.assertEqual(self.ask("workers", "undrain", "host2").returncode, 0)
        self.assertRegex(self.ask("workers", "ls").stdout, r"(?m)^host2 +idle ")
        self.submit()
        self.assertEqual(self.ask("workers", "forget", "host1").returncode, 2, "host1 is not lost")
        in_front = self.tutti("workers", "--coordinator", self.address, "ls")
        self.assertEqual(in_front.returncode, 2)
        self.assertIn("--coordinator: write it behind ls", in_front.stderr)


if __name__ == "__main__":
    unittest.main()
